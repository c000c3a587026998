#include "holdfast/resilience/asio/loop_timekeeper.hpp"

#include <chrono>

namespace holdfast::resilience {

LoopTimekeeper::LoopTimekeeper(const boost::asio::any_io_executor& loop) : timer_(loop) {}

LoopTimekeeper::~LoopTimekeeper() {
    *alive_ = false;
    heap_.abandon_all();
}

TimePoint LoopTimekeeper::now() const {
    return std::chrono::steady_clock::now();
}

void LoopTimekeeper::schedule(Timer& timer, TimePoint when) {
    heap_.schedule(timer, when);
    arm();
}

void LoopTimekeeper::cancel(Timer& timer) {
    heap_.cancel(timer);
    // While others wait, firing for nothing once is cheaper than re-arming for each. The last one
    // takes the Asio timer with it: a loop must not be kept running by a wait that is over.
    if (heap_.next().value_or(TimePoint::max()) == TimePoint::max() &&
        armed_for_ != TimePoint::max()) {
        armed_for_ = TimePoint::max();
        timer_.cancel();
    }
}

void LoopTimekeeper::arm() {
    const auto next = heap_.next();
    if (!next || *next >= armed_for_) {
        return;
    }
    armed_for_ = *next;
    timer_.expires_at(*next);
    timer_.async_wait([this, alive = alive_](boost::system::error_code error) {
        // Cancelled by an earlier instant, whose own wait goes on, or by our destruction.
        if (!error && *alive) {
            fire();
        }
    });
}

void LoopTimekeeper::fire() {
    armed_for_ = TimePoint::max();
    const TimePoint instant = now();
    while (Timer* due = heap_.take_due(instant)) {
        due->on_time();
    }
    arm();
}

}  // namespace holdfast::resilience
