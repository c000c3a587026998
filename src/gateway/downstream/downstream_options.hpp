#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "downstream/start_gate.hpp"
#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"
#include "mcp/revision.hpp"

namespace holdfast::downstream {

enum class SessionMode : std::uint8_t {
    automatic,  ///< One per agent if the downstream assigns session ids, else shared.
    shared,
    per_agent,  ///< One per agent; modern downstreams have no sessions and share one connection.
    /// One per agent in both eras, because the connection itself carries the agent's credentials.
    connection_per_agent,
};

/// How legacy agents use a downstream that speaks both eras. Its tools may push questions, which
/// only the legacy era has.
enum class LegacyLeg : std::uint8_t {
    none,       ///< In the modern era, like all other agents.
    shared,     ///< On a second, legacy connection that they share.
    per_agent,  ///< On a legacy session for each of them.
};

struct DownstreamOptions {
    std::string name = {};
    SessionMode session = SessionMode::automatic;
    LegacyLeg legacy_leg = LegacyLeg::none;
    /// The only era to speak; nothing = the downstream is probed.
    std::optional<mcp::Era> required_era = std::nullopt;
    /// A legacy leg that did not open for another reason than a refusal is tried again after this.
    resilience::Duration legacy_leg_retry = std::chrono::minutes{1};
    /// Delays between attempts to connect and between attempts to list.
    resilience::BackoffOptions reconnect{.base = std::chrono::milliseconds{500},
                                         .multiplier = 2.0,
                                         .cap = std::chrono::seconds{60},
                                         .jitter = resilience::Jitter::proportional,
                                         .jitter_ratio = 0.15};
    /// After this many failed dials in a row the server counts as down. Dialling continues.
    std::uint32_t reconnect_attempts = 10;
    /// Seed of the jitter. Must differ between downstreams, so that they do not reconnect in step.
    std::uint64_t seed = 1;
    /// Upper bound for a retry time that the server requests.
    resilience::Duration max_retry_after = std::chrono::minutes{10};
    /// A session that lived this long is replaced at once when the server ends it.
    resilience::Duration sustained_uptime = std::chrono::seconds{30};
    /// The server connects to the gateway. Nothing is retried until `on_available` is called.
    bool waits_for_peer = false;
    resilience::Duration connect_wait = std::chrono::seconds{30};  ///< Until the link is ready.
    /// The server is a program of the gateway: it may take longer than `connect_wait` while it
    /// makes progress, see `StartPatience`.
    bool starts_process = false;
    /// The package that the program fetches before it starts the server, for display; may be empty.
    std::string package = {};
    /// Holds back the first start; null = it begins at once. Shared by all downstreams.
    std::shared_ptr<StartGate> first_start_gate = {};
    resilience::Duration list_wait = std::chrono::seconds{30};  ///< For one page.
    resilience::Duration stop_wait = std::chrono::seconds{10};  ///< Until all links are closed.
    std::size_t max_list_pages = 1'000;
    std::size_t max_list_entries = 100'000;  ///< In one list.
    std::size_t max_agent_links = 1'000;
    std::size_t max_waiting_calls = 1'024;  ///< For one link to open.
    std::size_t max_agents = 10'000;        ///< With subscriptions or a log level.
    resilience::Duration agent_link_idle = std::chrono::hours{1};
    /// Debounce interval for list changes.
    resilience::Duration relist_after = std::chrono::milliseconds{20};
    /// For HTTP: links repeat annotated arguments in headers, and tools with invalid annotations
    /// are not listed.
    bool checks_tool_headers = false;
    std::optional<mcp::Era> known_era = std::nullopt;
    resilience::Duration known_era_age = {};
    resilience::Duration max_era_age = std::chrono::hours{24};
};

}  // namespace holdfast::downstream
