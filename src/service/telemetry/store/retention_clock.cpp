#include "telemetry/store/retention_clock.hpp"

#include <algorithm>

namespace holdfast::telemetry {
namespace {

/// Smaller differences are corrections of a clock that is right.
constexpr std::int64_t kSmallestJumpMs = std::int64_t{10} * 60 * 1'000;

}  // namespace

void RetentionClock::on_open(std::int64_t now_ms, std::optional<std::int64_t> newest_ms) {
    const bool is_all_old = newest_ms && now_ms - *newest_ms > keep_ms_;
    if (!was_opened_ && is_all_old) {
        jumped_ms_ = now_ms - *newest_ms;
    }
    was_opened_ = true;
}

std::int64_t RetentionClock::oldest_ms(std::int64_t now_ms, std::int64_t uptime_ms) {
    const std::int64_t difference_ms = now_ms - uptime_ms;
    const std::int64_t moved_ms = difference_ms - difference_ms_.value_or(difference_ms);
    const bool is_jump = moved_ms >= kSmallestJumpMs || moved_ms <= -kSmallestJumpMs;
    if (is_jump) {
        jumped_ms_ = std::max<std::int64_t>(0, jumped_ms_ + moved_ms);
    }
    if (is_jump || !difference_ms_) {
        difference_ms_ = difference_ms;
    }
    return now_ms - jumped_ms_ - keep_ms_;
}

}  // namespace holdfast::telemetry
