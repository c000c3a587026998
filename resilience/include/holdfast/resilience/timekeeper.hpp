#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// A callback at an instant. It lives in the object that waits; a scheduled timer must be cancelled
/// before it is destroyed.
///
/// Thread-safety: none; belongs to the loop of its timekeeper.
class Timer {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    virtual ~Timer();

    virtual void on_time() = 0;

    /// Called when the timekeeper is destroyed, so the instant will never come. The timer is no
    /// longer scheduled. May destroy the timer.
    virtual void on_abandoned() {}

    [[nodiscard]] bool is_scheduled() const noexcept { return index_ != kNotScheduled; }

private:
    friend class TimerHeap;
    static constexpr std::size_t kNotScheduled = std::numeric_limits<std::size_t>::max();

    std::size_t index_ = kNotScheduled;
    TimePoint when_;
};

/// The timers of one loop, the soonest first. Scheduling and cancelling take logarithmic time, and
/// allocate only when more timers are scheduled than ever before.
///
/// Thread-safety: none.
class TimerHeap final {
public:
    TimerHeap() = default;
    TimerHeap(const TimerHeap&) = delete;
    TimerHeap& operator=(const TimerHeap&) = delete;
    /// Remaining timers are no longer scheduled, and may be destroyed afterwards.
    ~TimerHeap();

    /// Calls `on_abandoned` of every timer. A timekeeper's destructor calls this first, while
    /// timers can still be cancelled.
    void abandon_all();

    /// Schedules the timer, or moves it if it is scheduled.
    void schedule(Timer& timer, TimePoint when);
    /// Does nothing if the timer is not scheduled.
    void cancel(Timer& timer);
    /// Returns the instant of the next timer, or nothing.
    [[nodiscard]] std::optional<TimePoint> next() const;
    /// Removes the next timer that is due; null if there is none.
    [[nodiscard]] Timer* take_due(TimePoint now);
    [[nodiscard]] std::size_t size() const noexcept { return timers_.size(); }

private:
    void place(Timer& timer, std::size_t index);
    void sift_up(std::size_t index);
    void sift_down(std::size_t index);

    std::vector<Timer*> timers_;  // a binary heap; every timer stores its index
};

/// The time and the timers of one loop: the seam between real and virtual time.
///
/// Thread-safety: none; belongs to one loop.
class Timekeeper {
public:
    Timekeeper() = default;
    Timekeeper(const Timekeeper&) = delete;
    Timekeeper& operator=(const Timekeeper&) = delete;
    virtual ~Timekeeper() = default;

    [[nodiscard]] virtual TimePoint now() const = 0;
    virtual void schedule(Timer& timer, TimePoint when) = 0;
    virtual void cancel(Timer& timer) = 0;
};

}  // namespace holdfast::resilience
