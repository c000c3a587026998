#include "downstream/starting/link_start.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::TimePoint;
using resilience::WakeReason;

constexpr std::chrono::seconds kLookEvery{1};

std::string timeout_text(resilience::Duration age) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(age).count();
    return "The server did not finish the handshake within " + std::to_string(seconds) +
           " s (\"startTimeout\").";
}

}  // namespace

LinkStart::LinkStart(net::OwningLoop home, std::shared_ptr<LinkOpener> opener,
                     const DownstreamOptions& options, std::shared_ptr<StartGate> gate,
                     std::function<void()> on_change)
    : home_(std::move(home)),
      opener_(std::move(opener)),
      starts_process_(options.starts_process),
      package_(options.package),
      on_change_(std::move(on_change)),
      patience_options_({.timeout = options.connect_wait}),
      patience_(patience_options_, home_.timekeeper->now()),
      process_(std::make_shared<StartingProcess>()),
      gate_(std::move(gate)),
      news_(*home_.timekeeper) {}

asio::awaitable<LinkStart::Opened> LinkStart::open(std::shared_ptr<LinkStart> self,
                                                   LinkPurpose purpose,
                                                   std::weak_ptr<LinkListener> listener) {
    if (self->gate_) {
        co_await wait_for_slot(self);
    }
    if (self->is_cancelled_) {
        self->place_.reset();
        co_return CallFault{.kind = CallFault::Kind::cancelled};
    }
    self->begin(std::move(purpose), std::move(listener));
    while (!self->result_) {
        co_await wait(self, self->next_look());
    }
    self->place_.reset();
    co_return self->take_result();
}

asio::awaitable<void> LinkStart::wait_for_slot(std::shared_ptr<LinkStart> self) {
    self->place_ =
        self->gate_->join(self->home_, [weak = self->weak_from_this()](resilience::Duration delay) {
            if (const auto start = weak.lock()) {
                start->granted_at_ =
                    resilience::saturating_add(start->home_.timekeeper->now(), delay);
                start->news_.signal();
            }
        });
    if (self->is_preferred_) {
        self->place_->prefer();
    }
    while (!self->is_cancelled_ &&
           (!self->granted_at_ || self->home_.timekeeper->now() < *self->granted_at_)) {
        co_await wait(self, self->granted_at_.value_or(TimePoint::max()));
    }
}

asio::awaitable<void> LinkStart::wait(std::shared_ptr<LinkStart> self, TimePoint until) {
    switch (co_await self->news_.wait_until(until)) {
        case WakeReason::signalled:
            break;
        case WakeReason::time:
            self->look();
            break;
        case WakeReason::cancelled:
            co_await asio::this_coro::reset_cancellation_state();
            self->cancel();
            break;
    }
}

void LinkStart::prefer() {
    is_preferred_ = true;
    if (place_) {
        place_->prefer();
    }
}

void LinkStart::cancel() {
    is_cancelled_ = true;
    interrupt();
    news_.signal();
}

void LinkStart::begin(LinkPurpose purpose, std::weak_ptr<LinkListener> listener) {
    // Waiting for a slot took no time of the start.
    patience_ = StartPatience{patience_options_, home_.timekeeper->now()};
    has_begun_ = true;
    on_change_();
    purpose.starting = process_;
    asio::co_spawn(
        home_.executor, run_opener(shared_from_this(), std::move(purpose), std::move(listener)),
        asio::bind_cancellation_slot(
            interrupt_.slot(),
            [self = shared_from_this()](const std::exception_ptr&) { self->on_opener_ended(); }));
}

asio::awaitable<void> LinkStart::run_opener(std::shared_ptr<LinkStart> self, LinkPurpose purpose,
                                            std::weak_ptr<LinkListener> listener) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto limit =
        self->starts_process_ ? self->patience_.longest() : self->patience_.timeout();
    self->result_.emplace(co_await self->opener_->open(
        self->home_, std::move(purpose), std::move(listener),
        resilience::Deadline::after(self->patience_.started_at(), limit)));
}

void LinkStart::on_opener_ended() {
    if (!result_) {
        // Cancelled before its first step.
        result_.emplace(CallFault{.kind = CallFault::Kind::cancelled});
    }
    news_.signal();
}

void LinkStart::look() {
    if (!has_begun_) {
        return;
    }
    const auto now = home_.timekeeper->now();
    if (process_->activity) {
        const ProcessActivity activity = process_->activity();
        patience_.on_activity(now, activity);
        // The program that fetches the package starts the server as another process.
        is_installing_ = !package_.empty() && activity.processes == 1;
    }
    if (now >= patience_.slot_ends_at()) {
        place_.reset();
    }
    if (now >= patience_.ends_at()) {
        is_timed_out_ = true;
        interrupt();
    }
    on_change_();
}

StartProgress LinkStart::progress() const {
    if (!has_begun_) {
        return {.phase = gate_ ? StartPhase::waiting_for_slot : StartPhase::starting,
                .since = patience_.started_at(),
                .last_progress_at = patience_.started_at()};
    }
    return {.phase = is_installing_ ? StartPhase::installing : StartPhase::starting,
            .package = is_installing_ ? package_ : std::string{},
            .since = patience_.started_at(),
            .last_progress_at = patience_.last_progress_at()};
}

void LinkStart::interrupt() {
    // A second signal would cut off the orderly end of a program.
    if (!std::exchange(is_interrupted_, true)) {
        interrupt_.emit(asio::cancellation_type::terminal);
    }
}

TimePoint LinkStart::next_look() const {
    if (!starts_process_ || is_interrupted_) {
        return TimePoint::max();
    }
    return std::min(resilience::saturating_add(home_.timekeeper->now(), kLookEvery),
                    patience_.ends_at());
}

LinkStart::Opened LinkStart::take_result() {
    if (is_timed_out_ && !*result_) {
        return CallFault{.kind = CallFault::Kind::timed_out,
                         .message = timeout_text(resilience::elapsed_between(
                             patience_.started_at(), home_.timekeeper->now()))};
    }
    return std::move(*result_);
}

}  // namespace holdfast::downstream
