#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "holdfast/resilience/deadline.hpp"

namespace holdfast::resilience {

/// What a bulkhead learns while all its slots are in use: how fast slots become free, and whether
/// calls arrive faster than that. Time with a free slot counts for neither, so a downstream that
/// had nothing to do does not look slow.
///
/// Thread-safety: none; part of a bulkhead.
class QueueLoad final {
public:
    explicit QueueLoad(std::uint32_t slots) noexcept : slots_(slots) {}

    /// The last free slot was taken.
    void on_full(TimePoint now) noexcept;
    /// A call arrived while all slots were in use, whether it may wait or not.
    void on_arrival(Deadline deadline, TimePoint now) noexcept;
    /// A slot became free while all were in use. Without the time, the gap is not measured.
    void on_leave(std::optional<TimePoint> now) noexcept;
    /// The queue is empty and a slot stays free.
    void on_slack() noexcept;
    /// The number of slots has changed, so what was measured no longer holds.
    void resize(std::uint32_t slots) noexcept { *this = QueueLoad{slots}; }

    /// Returns the time in which this many slots become free. Nothing while the rate is unknown: it
    /// takes one round of all slots to learn it, and it is forgotten after `kForgetAfter` without a
    /// measurement.
    [[nodiscard]] std::optional<Duration> time_to_free(std::uint64_t count,
                                                       TimePoint now) const noexcept;

    /// Returns whether calls have arrived faster than they left for half the deadline of a call:
    /// in each of four consecutive eighths, so that a single burst does not count.
    [[nodiscard]] bool is_overloaded() const noexcept { return busy_spans_ >= kSpans; }

    static constexpr Duration kForgetAfter = std::chrono::minutes{1};

private:
    static constexpr std::uint32_t kSpans = 4;
    static constexpr std::int64_t kSpansOfDeadline = 8;
    static constexpr std::uint32_t kFewestMeasured = 4;
    static constexpr double kShortestMemory = 32;  // measured gaps
    static constexpr double kMemoryRounds = 4;     // of all slots

    [[nodiscard]] std::uint32_t enough() const noexcept {
        return std::max(slots_, kFewestMeasured);
    }
    void measure(Duration gap, TimePoint now) noexcept;
    void end_span_if_due(TimePoint now) noexcept;

    std::uint32_t slots_;
    // The rate: measured gaps between two slots that became free. Older gaps fade.
    std::uint32_t measured_ = 0;
    double gaps_ = 0;
    double gaps_ns_ = 0;
    std::optional<TimePoint> last_leave_;
    TimePoint last_measured_ = TimePoint::min();
    // Arrivals against departures, in spans of an eighth of a deadline.
    std::optional<TimePoint> span_start_;
    Duration span_ = Duration::max();
    std::uint64_t arrived_ = 0;
    std::uint64_t left_ = 0;
    std::uint32_t busy_spans_ = 0;
};

}  // namespace holdfast::resilience
