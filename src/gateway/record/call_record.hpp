#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace holdfast::record {

/// The result of one attempt of a call. Refers to texts of others.
struct AttemptRecord {
    std::string_view server = {};  ///< Where it was sent; differs from the call's for a substitute.
    std::int64_t began_us = 0;     ///< Since the call arrived.
    std::int64_t took_us = 0;
    std::string_view end = "answered";  ///< Or the error class, such as `timeout`.
    std::string_view detail = {};       ///< Why, in words and without secrets; empty if answered.
};

/// One call of an agent, from its arrival to its answer, without secrets and arguments. Refers to
/// texts and attempts of others, so that creating one is cheap; `kept` makes a copy that owns them.
struct CallRecord {
    std::string_view id = {};
    std::int64_t at_ms = 0;  ///< When it arrived, since the epoch.
    std::string_view principal = {};
    std::uint64_t session = 0;               ///< Only identifies the agent; 0 = no session.
    std::string_view method = "tools/call";  ///< Of static storage.
    std::string_view tool = {};  ///< As the agent called it: an exposed name, a prompt, a uri.
    std::string_view server = {};
    std::string_view route = {};  ///< Why it was sent there. Of static storage.
    /// `ok`, `tool_error`, `stale`, `cancelled`, or the failure's code. Static storage.
    std::string_view outcome = {};
    std::string_view message = {};         ///< Of a failure.
    std::string_view policy = {};          ///< Its name.
    std::string_view circuit = {};         ///< Empty = none.
    std::string_view circuit_before = {};  ///< `closed`, `open`, `half_open`. Of static storage.
    std::string_view circuit_after = {};   ///< The same.
    std::string_view substitute = {};      ///< The tool that answered instead; empty = none.
    std::int64_t queue_us = 0;             ///< Spent waiting for a slot.
    std::int64_t total_us = 0;
    std::size_t bytes_in = 0;   ///< Of the agent's params.
    std::size_t bytes_out = 0;  ///< Of the answer.
    std::span<const AttemptRecord> attempts = {};

    [[nodiscard]] bool is_failure() const noexcept {
        return outcome != "ok" && outcome != "tool_error" && outcome != "cancelled";
    }
    /// Whether it counts as a failure of its server.
    [[nodiscard]] bool is_server_failure() const noexcept;
};

/// Whether a call with this outcome failed because of what the agent asked for. Nothing was sent,
/// so it says nothing about the server.
[[nodiscard]] constexpr bool is_agent_mistake(std::string_view outcome) noexcept {
    return outcome == "INVALID_ARGUMENTS" || outcome == "TOOL_NOT_FOUND" || outcome == "HELD_BACK";
}

inline bool CallRecord::is_server_failure() const noexcept {
    return is_failure() && !is_agent_mistake(outcome);
}

/// A record that owns its texts.
using KeptCall = std::shared_ptr<const CallRecord>;

/// Returns a copy that owns everything except static texts, in one block of memory.
[[nodiscard]] std::shared_ptr<CallRecord> kept(const CallRecord& record);
/// Returns the approximate size of the copy.
[[nodiscard]] std::size_t size_bytes_of(const CallRecord& record) noexcept;

}  // namespace holdfast::record
