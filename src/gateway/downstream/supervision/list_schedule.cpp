#include "downstream/supervision/list_schedule.hpp"

#include <algorithm>
#include <limits>

namespace holdfast::downstream {

void ListSchedule::on_change(TimePoint now) {
    switch (state_) {
        case State::quiet:
            state_ = State::debouncing;
            due_at_ = resilience::saturating_add(now, debounce_);
            return;
        case State::listing:
            // The list being read may predate the change.
            changed_meanwhile_ = true;
            return;
        case State::debouncing:
        case State::resting:
            return;
    }
}

void ListSchedule::on_begin() noexcept {
    state_ = State::listing;
    due_at_ = TimePoint::max();
    changed_meanwhile_ = false;
}

void ListSchedule::on_listed(TimePoint now, std::optional<Duration> again_after) {
    failures_in_row_ = 0;
    previous_delay_ = Duration::zero();
    state_ = State::quiet;
    if (changed_meanwhile_) {
        on_change(now);
    } else if (again_after) {
        on_postponed(now, *again_after);
    }
}

void ListSchedule::on_failed(TimePoint now) {
    if (failures_in_row_ < std::numeric_limits<std::uint32_t>::max()) {
        ++failures_in_row_;
    }
    previous_delay_ = retry_.delay(failures_in_row_, previous_delay_, random_);
    state_ = State::resting;
    due_at_ = resilience::saturating_add(now, previous_delay_);
}

void ListSchedule::on_postponed(TimePoint now, Duration again_after) {
    constexpr Duration kSoonest = std::chrono::seconds{1};
    // Never before the list expires; slightly later at random, so that not all lists are read at
    // once.
    constexpr double kLargestShare = 0.1;
    const Duration wait = std::max(again_after, kSoonest);
    const double share = std::uniform_real_distribution<double>{0.0, kLargestShare}(random_);
    const Duration late{static_cast<Duration::rep>(static_cast<double>(wait.count()) * share)};
    due_at_ = resilience::saturating_add(resilience::saturating_add(now, wait), late);
}

}  // namespace holdfast::downstream
