#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "telemetry/store/minute_totals.hpp"
#include "telemetry/store/retention_clock.hpp"
#include "telemetry/store/store_file.hpp"
#include "telemetry/store/store_queue.hpp"
#include "telemetry/telemetry_store.hpp"

namespace holdfast::telemetry {

/// One moment by two clocks.
struct StoreTime {
    std::int64_t now_ms = 0;     ///< Since the epoch; may jump.
    std::int64_t uptime_ms = 0;  ///< Never jumps.
};

/// Writes the queued items to the file in rounds: opens the file, writes, cleans up, and after a
/// fault starts again with a growing delay.
///
/// Thread-safety: none; the queue is shared.
class StoreWriter final {
public:
    /// The queue must outlive it.
    StoreWriter(const StoreOptions& options, StoreQueue& queue);

    /// `counts` returns the calls since the start; it is called when totals are due. Returns
    /// whether the round succeeded; if not, `fault` has the reason, and unwritten items wait for
    /// the next round.
    bool round(const StoreTime& time, const std::function<std::vector<CallTotal>()>& counts,
               bool is_last);

    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    /// The delay before the next round.
    [[nodiscard]] resilience::Duration wait() const noexcept { return wait_; }
    [[nodiscard]] std::uint64_t stored() const noexcept { return stored_; }

private:
    [[nodiscard]] StoreResult<void> write(const StoreTime& time);
    void on_written();
    void on_fault(const StoreFault& fault, std::int64_t now_ms);

    const StoreOptions options_;
    StoreQueue& queue_;
    MinuteTotals totals_;
    std::vector<StoredItem> items_;  // taken from the queue but not yet written
    std::optional<StoreFile> file_;
    RetentionClock retention_;
    std::string fault_;
    resilience::Duration wait_;
    std::optional<std::int64_t> counted_at_ms_;
    std::optional<std::int64_t> cleaned_at_ms_;
    std::uint64_t stored_ = 0;
};

}  // namespace holdfast::telemetry
