#include <string>
#include <utility>

#include "calls/relayed_call.hpp"
#include "calls/shared_reads.hpp"
#include "calls/stale_answers.hpp"
#include "net/run_on.hpp"

// A read that is just like one in flight waits for that one's end. The one that is sent leads; if
// it is cancelled, or turns to its agent with a question, the others are sent after all, the first
// of them as their new leader.

namespace holdfast::calls {

bool RelayedCall::follows_another() {
    const policy::Policy& policy = plan_.rules->policy();
    const bool may_share = policy.shares_reads && plan_.is_read &&
                           plan_.request.method == "tools/call" && origin_.progress_token.empty();
    if (!may_share) {
        return false;
    }
    const auto now = loop_.timekeeper->now();
    if (call_deadline_.when() == resilience::Deadline::never().when()) {
        call_deadline_ = resilience::Deadline::after(now, policy.timeout);
    }
    // Calls with more or less time than others do not share their fate.
    flight_key_ = std::to_string(policy.timeout.count()) + '\0' + identity_of_call(origin_, plan_);
    if (environment_->shared_reads->must_be_sent(flight_key_, shared_from_this())) {
        return false;
    }
    flight_key_.clear();
    is_following_ = true;
    plan_.route = "to a call in flight that is just like it";
    wait_until(Waiting::for_downstream, call_deadline_.when());
    return true;
}

void RelayedCall::stop_leading(const std::shared_ptr<const SharedEnd>& end) {
    if (flight_key_.empty()) {
        return;
    }
    for (const auto& follower :
         environment_->shared_reads->end(std::exchange(flight_key_, {}), *this)) {
        follower->on_shared_end(end);
    }
}

void RelayedCall::on_shared_end(std::shared_ptr<const SharedEnd> end) {
    net::run_on(loop_, [self = shared_from_this(), end = std::move(end)] {
        if (self->is_over_) {
            return;
        }
        self->is_following_ = false;
        self->loop_.timekeeper->cancel(self->timer_);
        if (end) {
            self->answer_or_fail(end->round, end->substitute);
        } else if (!self->follows_another()) {
            self->spawn();
        }
    });
}

}  // namespace holdfast::calls
