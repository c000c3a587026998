#include "holdfast/resilience/detail/outbox.hpp"

#include <algorithm>

namespace holdfast::resilience::detail {

void Notices::deliver() {
    for (std::size_t index = 0; index < std::min(count_, inline_.size()); ++index) {
        deliver(inline_[index]);
    }
    for (const Notice& notice : more_) {
        deliver(notice);
    }
}

void Notices::deliver(const Notice& notice) {
    if (const auto* wakeup = std::get_if<Wakeup>(&notice.what)) {
        if (waker_ != nullptr) {
            waker_->wake(wakeup->waiter);
        }
        return;
    }
    if (observer_ == nullptr) {
        return;
    }
    if (const auto* transition = std::get_if<CircuitTransition>(&notice.what)) {
        observer_->on_transition(notice.name, *transition);
    } else if (const auto* refusal = std::get_if<Refusal>(&notice.what)) {
        observer_->on_refusal(notice.name, *refusal);
    } else if (const auto* retry = std::get_if<ScheduledRetry>(&notice.what)) {
        observer_->on_retry(notice.name, *retry);
    }
}

}  // namespace holdfast::resilience::detail
