#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

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

    [[nodiscard]] TimePoint now() const override;
    void schedule(Timer& timer, TimePoint when) override;
    void cancel(Timer& timer) override;

private:
    void arm();
    void fire();
    [[nodiscard]] TimePoint real(TimePoint instant) const;

    const double rate_;
    TimerHeap heap_;
    boost::asio::steady_timer timer_;
    TimePoint armed_for_ = TimePoint::max();  // max = the Asio timer is not waiting
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with the pending wait
};

}  // namespace holdfast::resilience
