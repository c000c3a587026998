#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logging/log.hpp"
#include "runtime/config_messages.hpp"
#include "tool_search/search_problem.hpp"

namespace holdfast::runtime {

/// Which servers a new config changes.
struct ServerChanges {
    std::vector<std::string> added = {};
    std::vector<std::string> changed = {};
    std::vector<std::string> removed = {};
    std::size_t unchanged_count = 0;

    friend bool operator==(const ServerChanges&, const ServerChanges&) = default;
};

/// A connection to a server after its handshake.
struct HandshakeLine {
    std::string_view server = {};
    std::string_view era = {};
    std::string_view revision = {};
    std::int64_t took_ms = 0;
};

/// A connection that could not be opened, or was lost.
struct DisconnectLine {
    std::string_view server = {};
    std::string_view reason = {};
    std::int64_t retry_ms = 0;  ///< Until the next attempt.
};

/// A call that has ended, or one attempt of it.
struct CallLine {
    std::string_view call = {};
    std::string_view tool = {};  ///< Of a call.
    std::string_view server = {};
    std::string_view outcome = {};  ///< Of an attempt, how it ended.
    std::string_view reason = {};   ///< May be empty.
    std::int64_t took_ms = 0;
    std::size_t attempt = 0;  ///< Its number; of a call, how many there were.
};

/// What a running gateway logs about itself: one function per line, so that wording, level, event
/// name and fields of all lines are in one file. `EventLog` and `ConnectionLog` have those about
/// circuits and connections; `DebugLog` finds out what the lines of the level debug say.
///
/// A copy refers to the same stream. Threads that may outlive the gateway, because a disk hangs,
/// own a copy.
///
/// Thread-safety: that of the log.
class ServiceLog final {
public:
    explicit ServiceLog(logging::Log log) : log_(std::move(log)) {}

    // Listeners
    void config_used(std::string_view file) const;
    void chain_refused(std::string_view reason) const;
    void listening(std::string_view url) const;
    void listen_failed(std::string_view address, std::string_view reason) const;
    void tokens_missing(std::string_view address) const;
    void listener_insecure(std::string_view address) const;
    void limit_too_low(std::string_view sentence) const;
    void bridge_unreachable(std::string_view path) const;
    void stdio_failed(std::string_view reason) const;
    void agent_given_up(std::string_view agent, std::string_view reason) const;
    void status_page(std::string_view url) const;
    void status_page_moved(std::string_view default_address) const;
    void status_page_failed(std::string_view reason) const;
    void status_page_not_started(std::string_view reason) const;
    void status_unavailable(std::string_view reason) const;

    // Config and servers
    void config_message(const ConfigMessage& message) const;
    void config_reloaded(const ServerChanges& changes) const;
    void config_rejected() const;
    void reload_skipped() const;
    void restart_needed(std::string_view section) const;
    void server_skipped(std::string_view server, std::string_view reason) const;
    void server_entry_kept(std::string_view server, std::string_view reason) const;
    void server_warning(std::string_view server, std::string_view message) const;
    void arguments_not_validated(std::string_view tool, std::string_view problem) const;

    // Side services
    void telemetry_stored() const;
    void telemetry_not_stored(std::string_view reason) const;
    void listing_not_cached(std::string_view reason) const;
    void search_problem(const tool_search::SearchProblem& problem) const;
    void guardian_failed(std::string_view reason) const;
    void guardian_replaced() const;
    void demo_message(std::string_view message) const;

    // The level debug
    [[nodiscard]] bool is_debug() const noexcept { return log_.is_on(logging::LogLevel::debug); }
    void config_changed(std::string_view file) const;
    void connecting(std::string_view server, std::uint32_t attempt) const;
    void handshake_done(const HandshakeLine& line) const;
    void connect_failed(const DisconnectLine& line) const;
    void list_read(std::string_view server, std::string_view list, std::size_t entries) const;
    void attempt_ended(const CallLine& line) const;
    void call_ended(const CallLine& line) const;

private:
    logging::Log log_;
};

}  // namespace holdfast::runtime
