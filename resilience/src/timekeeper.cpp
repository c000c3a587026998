#include "holdfast/resilience/timekeeper.hpp"

#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

Timer::~Timer() {
    HOLDFAST_EXPECT(!is_scheduled());
}

void TimerHeap::abandon_all() {
    // One at a time: destroying the waiter of one timer may cancel others.
    while (!timers_.empty()) {
        Timer& timer = *timers_.front();
        cancel(timer);
        timer.on_abandoned();
    }
}

TimerHeap::~TimerHeap() {
    for (Timer* timer : timers_) {
        timer->index_ = Timer::kNotScheduled;
    }
}

void TimerHeap::schedule(Timer& timer, TimePoint when) {
    cancel(timer);
    timer.when_ = when;
    timers_.push_back(&timer);
    place(timer, timers_.size() - 1);
    sift_up(timer.index_);
}

void TimerHeap::cancel(Timer& timer) {
    if (!timer.is_scheduled()) {
        return;
    }
    const std::size_t index = timer.index_;
    Timer& last = *timers_.back();
    timers_.pop_back();
    timer.index_ = Timer::kNotScheduled;
    if (&last != &timer) {
        place(last, index);
        sift_up(index);
        sift_down(last.index_);
    }
}

std::optional<TimePoint> TimerHeap::next() const {
    return timers_.empty() ? std::nullopt : std::optional{timers_.front()->when_};
}

Timer* TimerHeap::take_due(TimePoint now) {
    if (timers_.empty() || timers_.front()->when_ > now) {
        return nullptr;
    }
    Timer* due = timers_.front();
    cancel(*due);
    return due;
}

void TimerHeap::place(Timer& timer, std::size_t index) {
    timers_[index] = &timer;
    timer.index_ = index;
}

void TimerHeap::sift_up(std::size_t index) {
    Timer& timer = *timers_[index];
    while (index > 0) {
        Timer& parent = *timers_[(index - 1) / 2];
        if (parent.when_ <= timer.when_) {
            break;
        }
        const std::size_t above = parent.index_;
        place(parent, index);
        index = above;
    }
    place(timer, index);
}

void TimerHeap::sift_down(std::size_t index) {
    Timer& timer = *timers_[index];
    while (2 * index + 1 < timers_.size()) {
        std::size_t child = 2 * index + 1;
        if (child + 1 < timers_.size() && timers_[child + 1]->when_ < timers_[child]->when_) {
            ++child;
        }
        if (timer.when_ <= timers_[child]->when_) {
            break;
        }
        place(*timers_[child], index);
        index = child;
    }
    place(timer, index);
}

}  // namespace holdfast::resilience
