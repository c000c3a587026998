#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Something that is told when its instant has come. It lives with whoever waits; a timer that is
/// still scheduled must be cancelled before it is destroyed.
///
/// Thread-safety: none; belongs to the loop of its timekeeper.
class Timer {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    virtual ~Timer();

    virtual void on_time() = 0;

    /// Its timekeeper goes, so the instant will never come. It is no longer scheduled. May destroy
    /// the timer.
    virtual void on_abandoned() {}

    [[nodiscard]] bool is_scheduled() const noexcept { return index_ != kNotScheduled; }

private:
    friend class TimerHeap;
    static constexpr std::size_t kNotScheduled = std::numeric_limits<std::size_t>::max();

    std::size_t index_ = kNotScheduled;
    TimePoint when_;
};

/// The timers of one loop, the soonest first. Scheduling and cancelling cost the logarithm of their
/// number, and allocate only when more are scheduled than ever before.
///
/// Thread-safety: none.
class TimerHeap final {
public:
    TimerHeap() = default;
    TimerHeap(const TimerHeap&) = delete;
    TimerHeap& operator=(const TimerHeap&) = delete;
    /// Timers that are left are no longer scheduled, and may be destroyed afterwards.
    ~TimerHeap();

    /// Tells every timer that it will not be told of its instant. Every timekeeper does so first
    /// when it goes, while timers can still be cancelled.
    void abandon_all();

    /// Schedules, or moves if it was scheduled already.
    void schedule(Timer& timer, TimePoint when);
    /// Does nothing if it was not scheduled.
    void cancel(Timer& timer);
    /// The instant of the next timer; none if there is none.
    [[nodiscard]] std::optional<TimePoint> next() const;
    /// Takes out the next timer whose instant has come; null if there is none.
    [[nodiscard]] Timer* take_due(TimePoint now);
    [[nodiscard]] std::size_t size() const noexcept { return timers_.size(); }

private:
    void place(Timer& timer, std::size_t index);
    void sift_up(std::size_t index);
    void sift_down(std::size_t index);

    std::vector<Timer*> timers_;  // a binary heap; every timer knows its index
};

/// The time and the timers of one loop: the seam between real time and a test's.
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
