#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/synchronized.hpp"
#include "record/call_record.hpp"

namespace holdfast::telemetry {

struct LastError {
    std::int64_t at_ms = 0;  ///< When the call ended, since the epoch.
    std::string code = {};
    std::string tool = {};
    std::string message = {};
};

/// The last failed call of each server.
///
/// Thread-safety: from any thread.
class LastErrors final {
public:
    explicit LastErrors(std::size_t max_servers = 1'000) : max_servers_(max_servers) {}

    /// Ignores calls that did not fail or did not reach a server.
    void on_call(const record::CallRecord& record);
    [[nodiscard]] std::optional<LastError> of(std::string_view server) const;

private:
    using Errors = std::map<std::string, LastError, std::less<>>;

    const std::size_t max_servers_;
    resilience::Synchronized<Errors> errors_;
};

}  // namespace holdfast::telemetry
