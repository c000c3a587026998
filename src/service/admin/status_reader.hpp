#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admin/entry_problems.hpp"
#include "admin/status.hpp"
#include "dispatch/gateway.hpp"
#include "net/buffer_budget.hpp"
#include "telemetry/recording.hpp"

namespace holdfast::admin {

struct StatusReaderOptions {
    std::size_t log_lines = 20;  ///< Of each server.
};

/// The sources of the status.
struct StatusSources {
    std::shared_ptr<dispatch::Gateway> gateway = {};
    std::shared_ptr<telemetry::Recording> recording = {};
    std::function<std::int64_t()> now_ms = {};  ///< Since the epoch. From any thread.
    GatewayContext facts = {};
    resilience::TimePoint started = {};
    std::shared_ptr<const EntryProblems> problems = {};  ///< May be null.
    const net::BufferBudget* buffers = nullptr;          ///< Outlives the reader; may be null.
    StatusReaderOptions options = {};
};

/// Reads the state that calls actually use; it keeps no copy of its own. Reading changes nothing.
///
/// Thread-safety: from any thread.
class StatusReader final {
public:
    explicit StatusReader(StatusSources sources) : sources_(std::move(sources)) {}

    [[nodiscard]] Status read(resilience::TimePoint now) const;
    /// What keeps the gateway from being ready: servers whose lists are still awaited, or a drain
    /// in progress. A failed server does not.
    [[nodiscard]] std::vector<std::string> missing() const;
    [[nodiscard]] const StatusSources& sources() const noexcept { return sources_; }

private:
    [[nodiscard]] ServerStatus server_status(const surface::Server& server,
                                             resilience::TimePoint now) const;
    void add_connection(const surface::Server& server, resilience::TimePoint now,
                        ServerStatus& status) const;
    void add_entry_problems(Status& status) const;
    [[nodiscard]] std::string shown(const std::string& text) const;

    const StatusSources sources_;
};

}  // namespace holdfast::admin
