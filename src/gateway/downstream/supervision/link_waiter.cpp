#include "downstream/supervision/link_waiter.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace holdfast::downstream {

void LinkWaiter::finish(LinkOutcome outcome) {
    boost::asio::post(loop_.executor,
                      [self = shared_from_this(), outcome = std::move(outcome)]() mutable {
                          if (!self->outcome_) {
                              self->outcome_.emplace(std::move(outcome));
                              self->done_.signal();
                          }
                      });
}

boost::asio::awaitable<LinkOutcome> LinkWaiter::wait(resilience::Deadline deadline) {
    const resilience::WakeReason reason = co_await done_.wait_until(deadline.when());
    if (reason == resilience::WakeReason::cancelled) {
        co_return CallFault{.kind = CallFault::Kind::cancelled,
                            .message = "The call was cancelled."};
    }
    // An outcome that arrives together with the deadline still counts.
    if (outcome_) {
        co_return std::move(*outcome_);
    }
    co_return CallFault{.kind = CallFault::Kind::timed_out,
                        .message = "The call timed out while the server was still connecting."};
}

}  // namespace holdfast::downstream
