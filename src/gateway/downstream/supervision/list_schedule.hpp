#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// Decides when to request one list: after a connect, shortly after a change, later after a
/// failure. One listing at a time; changes during a listing cause one more.
///
/// Thread-safety: none.
class ListSchedule final {
public:
    using Duration = resilience::Duration;
    using TimePoint = resilience::TimePoint;

    /// Due at once. Requires back-off options that pass `validated`.
    ListSchedule(const resilience::BackoffOptions& retry, Duration debounce, std::uint64_t seed)
        : retry_(retry), debounce_(debounce), random_(seed) {}

    void on_change(TimePoint now);
    void on_begin() noexcept;
    /// `again_after` is the lifetime of the list if the downstream does not announce changes.
    void on_listed(TimePoint now, std::optional<Duration> again_after);
    void on_failed(TimePoint now);
    /// The list was due because of its age, but is not needed now.
    void on_postponed(TimePoint now, Duration again_after);

    /// Returns the end of time if nothing is scheduled.
    [[nodiscard]] TimePoint due_at() const noexcept { return due_at_; }
    /// Whether the list is due only because of its age.
    [[nodiscard]] bool is_old_only() const noexcept { return state_ == State::quiet; }
    /// Whether no change waits for a listing: the last one was listed or could not be.
    [[nodiscard]] bool is_settled() const noexcept {
        return state_ == State::quiet || state_ == State::resting;
    }

private:
    enum class State : std::uint8_t {
        debouncing,  ///< Waits for further changes before listing.
        listing,
        quiet,
        resting,  ///< After a failure.
    };

    const resilience::Backoff retry_;
    const Duration debounce_;
    std::mt19937_64 random_;
    State state_ = State::debouncing;
    TimePoint due_at_ = TimePoint::min();
    bool changed_meanwhile_ = false;
    std::uint32_t failures_in_row_ = 0;
    Duration previous_delay_ = Duration::zero();
};

}  // namespace holdfast::downstream
