#include "runtime/gateway_options.hpp"

#include "runtime/version.hpp"

namespace holdfast::runtime {
namespace {

catalogue::Prefixing prefixing_of(config::PrefixRule rule) {
    switch (rule) {
        case config::PrefixRule::always:
            return catalogue::Prefixing::always;
        case config::PrefixRule::never:
            return catalogue::Prefixing::never;
        case config::PrefixRule::automatic:
            break;
    }
    return catalogue::Prefixing::automatic;
}

}  // namespace

dispatch::GatewayOptions gateway_options_of(const LoadedConfig& loaded) {
    const config::Config& config = loaded.config;
    dispatch::GatewayOptions result;
    result.identity = own_implementation();
    result.catalogue.catalogue.prefixing = prefixing_of(config.name_prefix);
    result.catalogue.catalogue.max_items = config.limits.tools;
    result.catalogue.withdraw_after = config.catalogue.withdraw_after;
    result.catalogue.debounce = config.catalogue.debounce;
    result.page_size = config.catalogue.page_size;
    result.sessions.max_sessions = config.limits.sessions;
    result.sessions.max_idle = config.limits.session_idle;
    result.sessions.session.replay = {.max_events = config.limits.replay_events,
                                      .max_bytes = config.limits.replay_bytes,
                                      .keep_for = config.limits.replay_for,
                                      .max_streams = config.limits.streams_per_session};
    result.max_parked_calls = config.limits.parked_calls;
    result.parked_for = config.limits.parked_for;
    result.ask_timeout = config.ask_timeout;
    result.secrets = config.secrets;
    result.agent_headers = loaded.plans.agent_headers;
    result.surface = loaded.search.surface;
    result.settle_for = loaded.search.surface.first_list_wait;
    return result;
}

}  // namespace holdfast::runtime
