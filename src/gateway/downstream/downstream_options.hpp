#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"
#include "mcp/revision.hpp"

namespace holdfast::downstream {

enum class SessionMode : std::uint8_t {
    automatic,  ///< One for each agent if the downstream hands out session ids, else shared.
    shared,
    per_agent,  ///< Of the modern era, which has no sessions, all use one connection.
    /// The same, and in the modern era too: what the connection is opened with is the agent's.
    connection_per_agent,
};

struct DownstreamOptions {
    std::string name = {};
    SessionMode session = SessionMode::automatic;
    /// Between tries to connect, and between tries to list.
    resilience::BackoffOptions reconnect{.base = std::chrono::milliseconds{500},
                                         .multiplier = 2.0,
                                         .cap = std::chrono::seconds{60},
                                         .jitter = resilience::Jitter::proportional,
                                         .jitter_ratio = 0.15};
    /// After so many failed dials in a row it counts as gone; dialling goes on.
    std::uint32_t reconnect_attempts = 10;
    /// What the jitter is drawn from. Different for each downstream, lest they return together.
    std::uint64_t seed = 1;
    /// A refusal that names a time is believed up to this much.
    resilience::Duration max_retry_after = std::chrono::minutes{10};
    /// A session that lived this long is replaced at once when the server ends it.
    resilience::Duration sustained_uptime = std::chrono::seconds{30};
    /// It connects to us. Nothing is tried again until `on_available` says that it has.
    bool waits_for_peer = false;
    resilience::Duration connect_wait = std::chrono::seconds{30};  ///< Until it is ready.
    resilience::Duration list_wait = std::chrono::seconds{30};     ///< For one page.
    resilience::Duration stop_wait = std::chrono::seconds{10};     ///< For all links to close.
    std::size_t max_list_pages = 1'000;
    std::size_t max_list_entries = 100'000;  ///< Of one list.
    std::size_t max_agent_links = 1'000;
    std::size_t max_waiting_calls = 1'024;  ///< For one link to be opened.
    std::size_t max_agents = 10'000;        ///< With subscriptions or a log level.
    resilience::Duration agent_link_idle = std::chrono::hours{1};
    /// Changes that it tells of are gathered this long before it is asked again.
    resilience::Duration relist_after = std::chrono::milliseconds{20};
    /// It is reached over HTTP: its links are told which arguments to repeat in headers, and tools
    /// whose annotations of that are illegal are not listed.
    bool checks_tool_headers = false;
    std::optional<mcp::Era> known_era = std::nullopt;
    resilience::Duration known_era_age = {};
    resilience::Duration max_era_age = std::chrono::hours{24};
};

}  // namespace holdfast::downstream
