#pragma once

#include <cstddef>
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

/// What a running gateway logs about itself: one function per line, so that wording, level, event
/// name and fields of all lines are in one file. `EventLog` and `ConnectionLog` have those about
/// calls and connections.
///
/// A copy refers to the same stream. Threads that may outlive the gateway, because a disk hangs,
/// own a copy.
///
/// Thread-safety: that of the log.
class ServiceLog final {
public:
    explicit ServiceLog(logging::Log log) : log_(std::move(log)) {}

    // Listeners
    void listening(std::string_view url) const;
    void listen_failed(std::string_view address, std::string_view reason) const;
    void tokens_missing(std::string_view address) const;
    void bridge_unreachable(std::string_view path) const;
    void stdio_failed(std::string_view reason) const;
    void status_page(std::string_view url) const;
    void status_page_moved(std::string_view default_address) const;
    void status_page_failed(std::string_view reason) const;
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
    void demo_message(std::string_view message) const;

private:
    logging::Log log_;
};

}  // namespace holdfast::runtime
