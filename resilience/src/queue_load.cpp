#include "holdfast/resilience/queue_load.hpp"

namespace holdfast::resilience {

void QueueLoad::on_full(TimePoint now) noexcept {
    if (measured_ != 0 && elapsed_between(last_measured_, now) > kForgetAfter) {
        measured_ = 0;
        gaps_ = 0;
        gaps_ns_ = 0;
    }
    last_leave_ = now;
}

void QueueLoad::on_arrival(Deadline deadline, TimePoint now) noexcept {
    end_span_if_due(now);
    if (!span_start_ && !deadline.is_never()) {
        span_start_ = now;
        span_ = deadline.remaining(now) / kSpansOfDeadline;
    }
    ++arrived_;
}

void QueueLoad::on_leave(std::optional<TimePoint> now) noexcept {
    ++left_;
    if (now) {
        if (last_leave_) {
            measure(elapsed_between(*last_leave_, *now), *now);
        }
        end_span_if_due(*now);
    }
    last_leave_ = now;
}

void QueueLoad::on_slack() noexcept {
    last_leave_.reset();
    span_start_.reset();
    arrived_ = 0;
    left_ = 0;
    busy_spans_ = 0;
}

void QueueLoad::measure(Duration gap, TimePoint now) noexcept {
    const double memory = std::max(kShortestMemory, kMemoryRounds * slots_);
    const double fading = 1 - 1 / memory;
    gaps_ = gaps_ * fading + 1;
    gaps_ns_ = gaps_ns_ * fading + static_cast<double>(gap.count());
    measured_ = std::min(measured_ + 1, enough());
    last_measured_ = now;
}

void QueueLoad::end_span_if_due(TimePoint now) noexcept {
    if (!span_start_ || elapsed_between(*span_start_, now) < span_) {
        return;
    }
    busy_spans_ = arrived_ > left_ ? std::min(busy_spans_ + 1, kSpans) : 0;
    span_start_ = now;
    arrived_ = 0;
    left_ = 0;
}

std::optional<Duration> QueueLoad::time_to_free(std::uint64_t count, TimePoint now) const noexcept {
    if (measured_ < enough()) {
        return std::nullopt;
    }
    double gap_ns = gaps_ns_ / gaps_;
    if (last_leave_) {
        // The gap that has not ended yet counts as soon as it is longer than the others.
        const auto open_ns = static_cast<double>(elapsed_between(*last_leave_, now).count());
        gap_ns = std::max(gap_ns, (gaps_ns_ + open_ns) / (gaps_ + 1));
    }
    const double total_ns = gap_ns * static_cast<double>(count);
    constexpr auto kLongest = static_cast<double>(Duration::max().count());
    return total_ns < kLongest ? Duration{static_cast<Duration::rep>(total_ns)} : Duration::max();
}

}  // namespace holdfast::resilience
