#include <array>

#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/reading/sections.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::config {
namespace {

// No limit can be switched off: the largest values are what a large machine could bear.
using MessageSize = SizeKind<kKilobyte, 1'024 * kMegabyte>;
using Count = CountKind<1, 1'000'000>;
using CountOrNone = CountKind<0, 1'000'000>;

constexpr std::array kLimitsKeys = {
    key<SizeKind<kKilobyte, kMegabyte>, &Limits::header_block_bytes>(
        "headerBlock", "Size of the headers of an agent's HTTP request"),
    key<MessageSize, &Limits::agent_message_bytes>("agentMessage",
                                                   "Size of one message of an agent"),
    key<MessageSize, &Limits::downstream_message_bytes>("downstreamMessage",
                                                        "Size of one message of a server"),
    key<CountKind<16, 4'096>, &Limits::json_depth>(
        "jsonDepth", "Levels of nesting in a message. A deeper message is invalid"),
    key<SizeKind<kMegabyte, kMegabyte * kMegabyte>, &Limits::all_buffers_bytes>(
        "allBuffers",
        "Memory of all large buffers together: bodies and messages above 64 kB while they are "
        "received or sent, stored events and logs of programs. Beyond it, a request is refused "
        "with status 503, and a call whose answer does not fit fails with `OVERLOADED`. Not "
        "smaller than `agentMessage` and `downstreamMessage`"),
    key<Count, &Limits::in_flight>("inFlight", "Concurrent calls per server"),
    key<Count, &Limits::in_flight_stdio>("inFlightStdio",
                                         "Concurrent calls per server that is a program"),
    key<CountOrNone, &Limits::queue>("queue", "Queued calls per server"),
    key<QueueWaitKind, &Limits::queue_wait>(
        "queueWait",
        "How long a call waits for a free slot. `deadline`: as long as its timeout allows. A call "
        "that is not expected to end by then is refused immediately"),
    key<Count, &Limits::tools>("tools", "Tools in the catalogue"),
    key<Count, &Limits::connections>(
        "connections",
        "Connections of agents. One address of another machine has at most a quarter of them"),
    key<Count, &Limits::streams_per_session>(
        "streamsPerSession",
        "Answers of one legacy session that are event streams at the same time. A further call "
        "gets its answer as one JSON text, without progress notifications before it"),
    key<CountOrNone, &Limits::replay_events>(
        "replayEvents", "Events of a session that an agent can fetch after a disconnect"),
    key<MessageSize, &Limits::replay_bytes>("replayBytes", "Size of these events"),
    key<AnyDuration, &Limits::replay_for>("replayFor", "Age up to which they are stored"),
    key<Count, &Limits::sessions>(
        "sessions",
        "Legacy sessions of agents. At the limit, sessions that were idle for at least a minute "
        "are closed: longest idle first, starting with the agent that has the most idle ones"),
    key<PositiveDuration, &Limits::session_idle>("sessionIdle",
                                                 "How long an idle session stays open"),
    key<Count, &Limits::circuits>(
        "circuits",
        "Circuits per server, or of all servers together if the config has a section `circuits`. "
        "Tools beyond the limit have no circuit"),
    key<CountOrNone, &Limits::explained_calls>("explainedCalls",
                                               "Recent calls that `holdfast explain` can show"),
    key<MessageSize, &Limits::stderr_bytes>(
        "stderr", "Size of the log (standard error) that is stored per program"),
    key<CountOrNone, &Limits::parked_calls>(
        "parkedCalls", "Calls that wait until a modern agent returns with its answers"),
    key<PositiveDuration, &Limits::parked_for>("parkedFor", "How long such a call waits"),
};

/// One message of the largest size must fit.
void refuse_too_small_buffers(const ObjectReader& section, const Limits& limits) {
    const bool is_agent_message = limits.agent_message_bytes > limits.downstream_message_bytes;
    const std::size_t largest =
        is_agent_message ? limits.agent_message_bytes : limits.downstream_message_bytes;
    if (limits.all_buffers_bytes < largest) {
        section.report().refuse(section.object().place,
                                section.path_of("allBuffers") + ": is " +
                                    byte_size_text(limits.all_buffers_bytes) +
                                    " and must not be smaller than \"" +
                                    (is_agent_message ? "agentMessage" : "downstreamMessage") +
                                    "\", which is " + byte_size_text(largest));
    }
}

}  // namespace

std::vector<KeyInfo> limits_keys() {
    return infos_of(kLimitsKeys);
}

void read_limits(ObjectReader& section, Config& config) {
    read_object(section, kLimitsKeys, config.limits);
    refuse_too_small_buffers(section, config.limits);
}

}  // namespace holdfast::config
