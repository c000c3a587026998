#pragma once

#include <cstdint>
#include <optional>

namespace holdfast::telemetry {

/// Decides by the wall clock which rows are too old, and distrusts its jumps: a wrong clock must
/// not delete everything. By as much as the clock jumped forward, rows are kept longer. A jump
/// shows as a difference to a clock that never jumps, or as a file whose newest row is too old
/// already when the process opens it. Such rows are kept as if they were new, until the next start.
///
/// Thread-safety: none.
class RetentionClock final {
public:
    explicit RetentionClock(std::int64_t keep_ms) : keep_ms_(keep_ms) {}

    /// The process opened the file. `newest_ms` is the time of its newest row; none if it is empty.
    void on_open(std::int64_t now_ms, std::optional<std::int64_t> newest_ms);
    /// Returns the time before which rows are too old. `uptime_ms` is the clock that never jumps.
    [[nodiscard]] std::int64_t oldest_ms(std::int64_t now_ms, std::int64_t uptime_ms);

private:
    const std::int64_t keep_ms_;
    std::int64_t jumped_ms_ = 0;  // forward, in all
    /// The wall clock minus the other one.
    std::optional<std::int64_t> difference_ms_;
    bool was_opened_ = false;
};

}  // namespace holdfast::telemetry
