#include "runtime/servers/server_setup.hpp"

#include <variant>

#include "downstream/downstream_options.hpp"

namespace holdfast::runtime {

resilience::Duration start_timeout_of(const config::ServerConfig& server,
                                      const config::ServerDefaults& defaults) {
    // Only programs may have to be installed first.
    const bool is_program = std::holds_alternative<config::StdioTarget>(server.target);
    return server.start_timeout.value_or(is_program ? defaults.start_timeout
                                                    : downstream::DownstreamOptions{}.connect_wait);
}

ServerSetup setup_of(const config::ServerConfig& server, const ResolvedServer& plan,
                     const config::ReconnectOptions& reconnect, const config::Config& config,
                     policy::JunkRule junk) {
    return {.target = server.target,
            .session = server.session,
            .era = server.era,
            .preset = server.preset.name,
            .credentials = plan.credentials,
            .rest = plan.rest,
            .reconnect = reconnect,
            .start_timeout = start_timeout_of(server, config.server_defaults),
            .max_message_bytes = config.limits.downstream_message_bytes,
            .max_stderr_bytes = config.limits.stderr_bytes,
            .junk = junk};
}

}  // namespace holdfast::runtime
