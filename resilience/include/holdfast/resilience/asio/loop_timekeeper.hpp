#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::resilience {

/// Real time for one Asio loop: all its timers share one Asio timer. Use it only on the loop's
/// thread or strand, and destroy it there or after the loop has stopped. Coroutines that still wait
/// in a `OneShot` are destroyed with it.
///
/// Thread-safety: none; belongs to one loop.
class LoopTimekeeper final : public Timekeeper {
public:
    /// Time runs `rate` times as fast, for tests of long waits. All loops whose instants are
    /// compared need the same rate.
    explicit LoopTimekeeper(const boost::asio::any_io_executor& loop, double rate = 1);
    ~LoopTimekeeper() override;

    /// One event of the loop, for which the clock is read at most once: while such an object
    /// exists, `now` returns on its thread the instant of its first call. An event takes
    /// microseconds, and a reading of the clock is a noticeable part of that. Not nested.
    class Event final {
    public:
        /// `timekeeper` may be null.
        explicit Event(const LoopTimekeeper* timekeeper) noexcept { current = {timekeeper, {}}; }
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        ~Event() { current = {}; }

    private:
        friend class LoopTimekeeper;

        struct Current {
            const LoopTimekeeper* timekeeper = nullptr;
            std::optional<TimePoint> time = std::nullopt;  // after the first reading
        };

        // Of the thread, so that others may read the same clock meanwhile.
        static constinit thread_local Current current;
    };

    /// May be called from any thread.
    [[nodiscard]] TimePoint now() const override;
    void schedule(Timer& timer, TimePoint when) override;
    void cancel(Timer& timer) override;

private:
    void arm();
    void fire();
    [[nodiscard]] TimePoint real(TimePoint instant) const;
    [[nodiscard]] TimePoint read_clock() const;

    const double rate_;
    TimerHeap heap_;
    boost::asio::steady_timer timer_;
    TimePoint armed_for_ = TimePoint::max();  // max = the Asio timer is not waiting
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with the pending wait
};

}  // namespace holdfast::resilience
