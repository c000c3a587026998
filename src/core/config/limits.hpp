#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "holdfast/resilience/time.hpp"

namespace holdfast::config {

using resilience::Duration;

inline constexpr std::size_t kKilobyte = 1'024;
inline constexpr std::size_t kMegabyte = kKilobyte * kKilobyte;

/// The section `limits`: every buffer, table and wait of the gateway that is not a policy's.
struct Limits {
    std::size_t header_block_bytes = 32 * kKilobyte;
    std::size_t agent_message_bytes = 8 * kMegabyte;
    std::size_t downstream_message_bytes = 64 * kMegabyte;
    std::size_t json_depth = 512;
    std::size_t all_buffers_bytes = 512 * kMegabyte;
    std::size_t in_flight = 32;                         ///< Calls at one downstream.
    std::size_t in_flight_stdio = 8;                    ///< The same for a child process.
    std::size_t queue = 64;                             ///< Calls that wait for one downstream.
    std::optional<Duration> queue_wait = std::nullopt;  ///< Nothing = until the call's deadline.
    std::size_t tools = 100'000;                        ///< In the catalogue.
    std::size_t connections = 10'000;
    std::size_t streams_per_session = 16;
    std::size_t replay_events = 256;
    std::size_t replay_bytes = kMegabyte;
    Duration replay_for = std::chrono::seconds{60};
    std::size_t sessions = 10'000;  ///< Legacy sessions of agents.
    Duration session_idle = std::chrono::hours{1};
    std::size_t circuits = 10'000;
    std::size_t explained_calls = 10'000;
    std::size_t stderr_bytes = 64 * kKilobyte;  ///< Kept of each child.
    std::size_t parked_calls = 1'000;
    Duration parked_for = std::chrono::minutes{5};

    friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace holdfast::config
