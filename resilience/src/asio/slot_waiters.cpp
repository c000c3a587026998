#include "holdfast/resilience/asio/slot_waiters.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace holdfast::resilience {
SlotWaiter::SlotWaiter(WaiterId id, boost::asio::any_io_executor loop, Timekeeper& timekeeper)
    : id_(id), loop_(std::move(loop)), granted_(timekeeper) {}

void SlotWaiter::wake() {
    boost::asio::post(loop_, [self = shared_from_this()] { self->granted_.signal(); });
}

WaiterId SlotWaiters::next_id() noexcept {
    // Ids need only be unique: the order of concurrent increments does not matter.
    return last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
}

SlotWaiters::Registration SlotWaiters::add(const std::shared_ptr<SlotWaiter>& waiter) {
    waiters_.with([&](auto& waiters) { waiters.emplace(waiter->id(), waiter); });
    return {*this, waiter->id()};
}

void SlotWaiters::wake(WaiterId waiter) {
    const auto found = waiters_.with([&](const auto& waiters) {
        const auto place = waiters.find(waiter);
        return place == waiters.end() ? nullptr : place->second;
    });
    if (found) {
        found->wake();
    }
}

SlotWaiters::Registration::~Registration() {
    table_.waiters_.with([this](auto& waiters) { waiters.erase(waiter_); });
}

}  // namespace holdfast::resilience
