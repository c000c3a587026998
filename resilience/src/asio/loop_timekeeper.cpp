#include "holdfast/resilience/asio/loop_timekeeper.hpp"

#include <chrono>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

namespace {

TimePoint scaled(TimePoint instant, double factor) {
    const auto count = static_cast<double>(instant.time_since_epoch().count());
    return TimePoint{Duration{static_cast<Duration::rep>(count * factor)}};
}

}  // namespace

constinit thread_local LoopTimekeeper::Event::Current LoopTimekeeper::Event::current;

LoopTimekeeper::LoopTimekeeper(const boost::asio::any_io_executor& loop, double rate)
    : rate_(rate), timer_(loop) {
    HOLDFAST_EXPECT(rate > 0);
}

LoopTimekeeper::~LoopTimekeeper() {
    *alive_ = false;
    heap_.abandon_all();
}

TimePoint LoopTimekeeper::now() const {
    Event::Current& event = Event::current;
    if (event.timekeeper != this) {
        return read_clock();
    }
    if (!event.time) {
        event.time = read_clock();
    }
    return *event.time;
}

TimePoint LoopTimekeeper::read_clock() const {
    const TimePoint instant = std::chrono::steady_clock::now();
    return rate_ == 1 ? instant : scaled(instant, rate_);
}

// Rounds up: a timer must be due when the Asio timer fires.
TimePoint LoopTimekeeper::real(TimePoint instant) const {
    return rate_ == 1 ? instant : scaled(instant, 1 / rate_) + std::chrono::microseconds{1};
}

void LoopTimekeeper::schedule(Timer& timer, TimePoint when) {
    heap_.schedule(timer, when);
    arm();
}

void LoopTimekeeper::cancel(Timer& timer) {
    heap_.cancel(timer);
    // While other timers wait, one unnecessary firing is cheaper than re-arming each time.
    // Cancelling the last timer cancels the Asio timer, which would otherwise keep the loop
    // running.
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
    timer_.expires_at(real(*next));
    timer_.async_wait([this, alive = alive_](boost::system::error_code error) {
        // An error means cancellation: an earlier instant was scheduled, with its own wait, or this
        // object was destroyed.
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
