#include "downstream/supervision/reconnect_machine.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::downstream {
namespace {

/// Delay until a link that has not answered anything yet is checked again.
constexpr resilience::Duration kNextLook = std::chrono::seconds{1};

/// It doubles, so it must not be zero.
constexpr resilience::Duration kFirstDeniedDelay = std::chrono::milliseconds{100};

}  // namespace

ReconnectMachine::ReconnectMachine(const ReconnectOptions& options, std::uint64_t seed)
    : backoff_(options.backoff),
      sustained_uptime_(options.sustained_uptime),
      max_retry_after_(options.max_retry_after),
      max_denied_delay_(options.max_denied_delay),
      waits_for_peer_(options.waits_for_peer),
      random_(seed) {}

bool ReconnectMachine::on_start() {
    if (state_ != LinkState::idle) {
        return false;
    }
    enter(LinkState::connecting);
    return true;
}

bool ReconnectMachine::on_opened(TimePoint now) {
    if (state_ == LinkState::stopped) {
        return false;
    }
    HOLDFAST_EXPECT(state_ == LinkState::connecting);
    ++connects_;
    ready_since_ = now;
    failed_dials_ = 0;
    denied_delay_ = Duration::zero();
    is_down_ = false;
    // A handshake proves little: earlier failures count until the link has proved itself.
    enter(LinkState::ready, failures_in_row_ > 0 ? resilience::saturating_add(now, previous_delay_)
                                                 : TimePoint::max());
    return true;
}

void ReconnectMachine::on_denied(TimePoint now, std::optional<Duration> retry_after) {
    const Duration first = std::max(backoff_.computed(failures_in_row_ + 1), kFirstDeniedDelay);
    const Duration delay = std::min(std::max(first, denied_delay_ * 2), max_denied_delay_);
    refuse(now,
           std::max(std::min(retry_after.value_or(Duration::zero()), max_retry_after_), delay));
    denied_delay_ = delay;
}

void ReconnectMachine::on_refused(TimePoint now, std::optional<Duration> retry_after) {
    denied_delay_ = Duration::zero();
    refuse(now, std::min(retry_after.value_or(Duration::zero()), max_retry_after_));
}

void ReconnectMachine::refuse(TimePoint now, Duration at_least) {
    if (state_ == LinkState::stopped) {
        return;
    }
    HOLDFAST_EXPECT(state_ == LinkState::connecting);
    if (failed_dials_ < std::numeric_limits<std::uint32_t>::max()) {
        ++failed_dials_;
    }
    fail(now, at_least);
}

void ReconnectMachine::on_lost(TimePoint now, Loss what, bool has_answered) {
    if (state_ == LinkState::stopped) {
        return;
    }
    HOLDFAST_EXPECT(state_ == LinkState::ready);
    const bool was_sustained = resilience::elapsed_between(ready_since_, now) >= sustained_uptime_;
    if (waits_for_peer_ || has_proved_itself(now, has_answered)) {
        forget_failures();
    }
    // A server that connects to the gateway is not dialled, so there is no delay to observe.
    const bool is_at_once = waits_for_peer_ || (was_sustained && what == Loss::session);
    if (is_at_once) {
        is_down_ = what == Loss::connection;
        enter(LinkState::connecting);
    } else {
        fail(now, Duration::zero());
    }
}

bool ReconnectMachine::on_available() {
    if (state_ == LinkState::waiting || state_ == LinkState::idle) {
        enter(LinkState::connecting);
        return true;
    }
    // A server that connects while paused is accepted on resume.
    is_available_ = state_ != LinkState::stopped;
    return false;
}

bool ReconnectMachine::has_proved_itself(TimePoint now, bool has_answered) const {
    return has_answered && resilience::elapsed_between(ready_since_, now) >= previous_delay_;
}

bool ReconnectMachine::on_time(TimePoint now, bool has_answered) {
    if (now < wake_at_) {
        return false;
    }
    if (state_ == LinkState::waiting) {
        enter(LinkState::connecting);
        return true;
    }
    if (state_ == LinkState::ready && has_proved_itself(now, has_answered)) {
        forget_failures();
        wake_at_ = TimePoint::max();
        return true;
    }
    if (state_ == LinkState::ready) {
        wake_at_ = resilience::saturating_add(now, std::max(previous_delay_, kNextLook));
    }
    return false;
}

bool ReconnectMachine::on_pause() {
    if (state_ == LinkState::stopped || state_ == LinkState::paused) {
        return false;
    }
    forget_failures();
    is_down_ = false;
    enter(LinkState::paused);
    return true;
}

bool ReconnectMachine::on_resume() {
    if (state_ != LinkState::paused) {
        return false;
    }
    enter(LinkState::connecting);
    return true;
}

bool ReconnectMachine::on_restart() {
    if (state_ == LinkState::stopped || state_ == LinkState::paused ||
        state_ == LinkState::connecting) {
        return false;
    }
    forget_failures();
    is_down_ = false;
    enter(LinkState::connecting);
    return true;
}

void ReconnectMachine::forget_failures() noexcept {
    failures_in_row_ = 0;
    failed_dials_ = 0;
    denied_delay_ = Duration::zero();
    previous_delay_ = Duration::zero();
}

void ReconnectMachine::on_stop() {
    enter(LinkState::stopped);
}

std::optional<resilience::TimePoint> ReconnectMachine::next_attempt_at() const noexcept {
    const bool is_known = state_ == LinkState::waiting && wake_at_ != TimePoint::max();
    return is_known ? std::optional{wake_at_} : std::nullopt;
}

std::optional<resilience::TimePoint> ReconnectMachine::ready_since() const noexcept {
    return state_ == LinkState::ready ? std::optional{ready_since_} : std::nullopt;
}

void ReconnectMachine::fail(TimePoint now, Duration at_least) {
    is_down_ = true;
    if (failures_in_row_ < std::numeric_limits<std::uint32_t>::max()) {
        ++failures_in_row_;
    }
    if (std::exchange(is_available_, false)) {
        enter(LinkState::connecting);
        return;
    }
    if (waits_for_peer_) {
        enter(LinkState::waiting);
        return;
    }
    previous_delay_ = backoff_.delay(failures_in_row_, previous_delay_, random_);
    enter(LinkState::waiting, resilience::saturating_add(now, std::max(previous_delay_, at_least)));
}

void ReconnectMachine::enter(LinkState state, TimePoint wake_at) {
    // An announcement from before an attempt is consumed by it.
    is_available_ = is_available_ && state != LinkState::connecting;
    state_ = state;
    wake_at_ = wake_at;
}

}  // namespace holdfast::downstream
