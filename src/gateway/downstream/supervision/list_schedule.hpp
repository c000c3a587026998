#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// When to ask for one list: after a connect, a little after a change, later after a failure. One
/// listing at a time; changes during one cause one more.
///
/// Thread-safety: none.
class ListSchedule final {
public:
    using Duration = resilience::Duration;
    using TimePoint = resilience::TimePoint;

    /// Due at once. Requires back-off options that pass `validated`.
    ListSchedule(const resilience::BackoffOptions& retry, Duration gather, std::uint64_t seed)
        : retry_(retry), gather_(gather), random_(seed) {}

    void on_change(TimePoint now);
    void on_begin() noexcept;
    /// `again_after` is how long the list is good for, if nobody will tell of changes.
    void on_listed(TimePoint now, std::optional<Duration> again_after);
    void on_failed(TimePoint now);
    /// It was due because of its age, and nobody needs it now.
    void on_postponed(TimePoint now, Duration again_after);

    /// The end of time when nothing is planned.
    [[nodiscard]] TimePoint due_at() const noexcept { return due_at_; }
    /// Whether it is due only because it has become old.
    [[nodiscard]] bool is_old_only() const noexcept { return state_ == State::quiet; }
    /// No change is waiting for a listing: the last one has been listed, or could not be.
    [[nodiscard]] bool is_settled() const noexcept {
        return state_ == State::quiet || state_ == State::resting;
    }

private:
    enum class State : std::uint8_t {
        gathering,  ///< Will be listed in a moment.
        listing,
        quiet,
        resting,  ///< After a failure.
    };

    const resilience::Backoff retry_;
    const Duration gather_;
    std::mt19937_64 random_;
    State state_ = State::gathering;
    TimePoint due_at_ = TimePoint::min();
    bool changed_meanwhile_ = false;
    std::uint32_t failures_in_row_ = 0;
    Duration previous_delay_ = Duration::zero();
};

}  // namespace holdfast::downstream
