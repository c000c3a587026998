#include "config/reading/sections.hpp"

namespace holdfast::config {
namespace {

// No limit can be switched off: the largest values are what a large machine could bear.
constexpr Range<std::size_t> kMessageBytes = {.min = kKilobyte, .max = 1'024 * kMegabyte};
constexpr Range<std::size_t> kCount = {.min = 1, .max = 1'000'000};

void read_bytes(ObjectReader& section, Limits& limits) {
    section.read_bytes("headerBlock", limits.header_block_bytes,
                       {.min = kKilobyte, .max = kMegabyte});
    section.read_bytes("agentMessage", limits.agent_message_bytes, kMessageBytes);
    section.read_bytes("downstreamMessage", limits.downstream_message_bytes, kMessageBytes);
    section.read_bytes("allBuffers", limits.all_buffers_bytes,
                       {.min = kMegabyte, .max = kMegabyte * kMegabyte});
    section.read_bytes("replayBytes", limits.replay_bytes, kMessageBytes);
    section.read_bytes("stderr", limits.stderr_bytes, kMessageBytes);
}

void read_counts(ObjectReader& section, Limits& limits) {
    section.read_count("jsonDepth", limits.json_depth, {.min = 16, .max = 4'096});
    section.read_count("inFlight", limits.in_flight, kCount);
    section.read_count("inFlightStdio", limits.in_flight_stdio, kCount);
    section.read_count("queue", limits.queue, {.min = 0, .max = kCount.max});
    section.read_count("tools", limits.tools, kCount);
    section.read_count("connections", limits.connections, kCount);
    section.read_count("streamsPerSession", limits.streams_per_session, kCount);
    section.read_count("replayEvents", limits.replay_events, {.min = 0, .max = kCount.max});
    section.read_count("sessions", limits.sessions, kCount);
    section.read_count("circuits", limits.circuits, kCount);
    section.read_count("explainedCalls", limits.explained_calls, {.min = 0, .max = kCount.max});
    section.read_count("parkedCalls", limits.parked_calls, {.min = 0, .max = kCount.max});
}

void read_durations(ObjectReader& section, Limits& limits) {
    section.read_duration("queueWait", limits.queue_wait, kAnyDuration);
    section.read_duration("replayFor", limits.replay_for, kAnyDuration);
    section.read_duration("sessionIdle", limits.session_idle, kPositiveDuration);
    section.read_duration("parkedFor", limits.parked_for, kPositiveDuration);
}

/// One message that may come must find room.
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

void read_limits(ObjectReader& section, Config& config) {
    read_bytes(section, config.limits);
    read_counts(section, config.limits);
    read_durations(section, config.limits);
    section.refuse_unknown();
    refuse_too_small_buffers(section, config.limits);
}

}  // namespace holdfast::config
