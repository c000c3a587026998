#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"

namespace holdfast::telemetry {

/// Selects what to read.
struct StoreFilter {
    std::int64_t since_ms = 0;  ///< Since the epoch.
    std::string server = {};    ///< Empty = all.
};

/// One cause of failed calls at a server.
struct FailureCause {
    std::string code = {};
    std::uint64_t count = 0;
    /// The time of the last one; nothing if it was deleted.
    std::optional<std::int64_t> last_at_ms = std::nullopt;
    std::string tool = {};
    std::string message = {};
};

struct ServerReport {
    std::string server = {};  ///< Empty = calls that no server got.
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
    std::vector<FailureCause> causes = {};                       ///< The most frequent first.
    std::optional<std::int64_t> busiest_hour_ms = std::nullopt;  ///< With the most failures.
    std::uint64_t busiest_hour_failures = 0;
    std::optional<std::int64_t> last_failure_ms = std::nullopt;
};

/// How often an event occurred.
struct EventReport {
    std::string kind = {};  ///< Names as in `EventKind`.
    std::string what = {};
    std::string name = {};  ///< The circuit, server or step.
    std::uint64_t count = 0;
    std::int64_t last_at_ms = 0;
};

struct StoreReport {
    std::vector<ServerReport> servers = {};  ///< Those with the most failures first.
    std::vector<EventReport> events = {};    ///< The most frequent first, of each kind.
};

enum class StoreTable : std::uint8_t { calls, events, totals };

/// One value of a row.
struct StoredValue {
    std::string name = {};
    std::string text = {};
    bool is_number = false;
};

/// Reads the file of a `TelemetryStore`, also while it is being written.
///
/// Thread-safety: none.
class StoreReader final {
public:
    using Fault = std::string;  ///< A message.
    template <class T>
    using Outcome = resilience::Result<T, Fault>;
    using Row = std::span<const StoredValue>;

    [[nodiscard]] static Outcome<StoreReader> open(const std::string& path);
    StoreReader(StoreReader&& other) noexcept;
    StoreReader& operator=(StoreReader&& other) noexcept;
    ~StoreReader();

    [[nodiscard]] Outcome<StoreReport> report(const StoreFilter& filter);
    /// Passes each row to `take`, oldest first. Times are ISO 8601.
    [[nodiscard]] Outcome<std::uint64_t> each_row(StoreTable table, const StoreFilter& filter,
                                                  const std::function<void(Row)>& take);

private:
    struct Connection;
    explicit StoreReader(std::unique_ptr<Connection> connection);

    std::unique_ptr<Connection> connection_;
};

}  // namespace holdfast::telemetry
