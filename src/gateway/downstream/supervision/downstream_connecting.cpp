#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "downstream/supervision/connection_text.hpp"
#include "downstream/supervision/downstream_core.hpp"

// How a downstream connects and reconnects. One coroutine, `keep_connected`, follows the reconnect
// machine and alone opens the shared link, so there are never two attempts at once. Every event
// first changes the machine, then the published snapshot, then notifies others. They may call back
// at any of these points and find a consistent state.

namespace holdfast::downstream {
namespace {

bool shares_link(SessionMode mode, const Negotiated& negotiated) noexcept {
    if (negotiated.era() == mcp::Era::modern) {
        return mode != SessionMode::connection_per_agent;
    }
    return mode == SessionMode::automatic ? !negotiated.has_session_id
                                          : mode == SessionMode::shared;
}

}  // namespace

void DownstreamCore::run_or_wake() {
    if (is_running_) {
        wake_.signal();
    } else {
        run();
    }
}

void DownstreamCore::run() {
    // A watcher that was notified of the start may have stopped it.
    if (machine_.state() != LinkState::connecting) {
        return;
    }
    is_running_ = true;
    boost::asio::co_spawn(
        home_.executor, keep_connected(shared_from_this()),
        boost::asio::bind_cancellation_slot(cancel_.slot(),
                                            [self = shared_from_this()](const std::exception_ptr&) {
                                                self->is_running_ = false;
                                                if (self->stopping_) {
                                                    self->stopping_->on_done();
                                                }
                                            }));
}

boost::asio::awaitable<void> DownstreamCore::keep_connected(std::shared_ptr<DownstreamCore> self) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    while (self->machine_.state() != LinkState::stopped) {
        if (self->machine_.state() == LinkState::connecting) {
            co_await connect_once(self);
            continue;
        }
        const auto reason = co_await self->wake_.wait_until(self->machine_.wake_at());
        if (reason == resilience::WakeReason::time) {
            const auto link = self->shared_.link;
            // Repeated checks of a link that has not proved itself yet are not published.
            if (self->machine_.on_time(self->home_.timekeeper->now(),
                                       link && link->has_answered())) {
                self->publish();
            }
        }
    }
}

boost::asio::awaitable<void> DownstreamCore::connect_once(std::shared_ptr<DownstreamCore> self) {
    const auto now = self->home_.timekeeper->now();
    auto ear = std::make_shared<LinkEvents>(self, std::string{});
    LinkPurpose purpose{.capabilities = std::string{kRelayedCapabilities},
                        .known_era = self->known_era(now),
                        .is_era_required = self->options_.required_era.has_value()};
    const bool is_first = self->machine_.connects() == 0;
    const auto start = std::make_shared<LinkStart>(
        self->home_, self->opener_, self->options_,
        is_first ? self->options_.first_start_gate : nullptr, [weak = std::weak_ptr{self}] {
            if (const auto downstream = weak.lock()) {
                downstream->publish_view();
            }
        });
    self->start_ = start;
    self->publish_view();
    if (!self->waiting_.empty()) {
        start->prefer();
    }
    auto opened = co_await LinkStart::open(start, std::move(purpose), ear);
    self->start_.reset();
    if (self->machine_.state() != LinkState::connecting || start->is_cancelled()) {
        // Stopped, paused or restarted meanwhile, so the result is not needed.
        if (opened) {
            // Still closes gracefully: the cancellation was meant for the attempt only.
            co_await boost::asio::this_coro::reset_cancellation_state();
            co_await opened.value()->close(stopping_fault(self->options_.name));
        }
        co_return;
    }
    if (opened) {
        self->on_connected(opened.value(), ear);
    } else {
        self->on_refused(opened.error());
    }
}

void DownstreamCore::on_connected(const std::shared_ptr<Link>& link,
                                  const std::shared_ptr<LinkEvents>& ear) {
    const auto now = home_.timekeeper->now();
    if (!machine_.on_opened(now)) {
        return;
    }
    set_reason({});
    lost_log_lines_.reset();
    was_unauthorized_ = false;
    era_.learn(link->negotiated().era(), now);
    shares_link_ = shares_link(options_.session, link->negotiated());
    const bool may_have_leg = options_.legacy_leg != LegacyLeg::none && shares_link_ &&
                              link->negotiated().era() == mcp::Era::modern;
    legacy_leg_from_ = may_have_leg ? resilience::TimePoint::min() : resilience::TimePoint::max();
    shared_ = {.link = link,
               .ear = ear,
               .tuner = std::make_shared<LinkPreferences>(home_, link, options_.list_wait),
               .lists = std::make_shared<ListKeeper>(home_, link, options_, list_reader())};
    if (ear->lost()) {
        on_shared_lost(*ear->lost());
        return;
    }
    publish();
    answer_waiting();
    tune_shared();
    if (shared_.link == link) {
        // Keeps it alive: answers may arrive, and the link may end, during the start.
        const auto lists = shared_.lists;
        lists->start();
    }
}

void DownstreamCore::on_refused(const CallFault& why) {
    lost_log_lines_.reset();
    set_reason(why.message, opener_->last_log_lines(kKeptLogLines));
    was_unauthorized_ = why.kind == CallFault::Kind::unauthorized;
    era_.forget();
    const auto now = home_.timekeeper->now();
    if (was_unauthorized_) {
        machine_.on_denied(now, why.retry_after);
    } else {
        machine_.on_refused(now, why.retry_after);
    }
    publish();
    answer_waiting();
}

void DownstreamCore::on_shared_lost(const CallFault& why) {
    const Shared lost = std::exchange(shared_, {});
    lost_log_lines_ = lost.link->last_log_lines(kKeptLogLines);
    set_reason(why.message, *lost_log_lines_);
    lost.lists->stop();
    machine_.on_lost(home_.timekeeper->now(),
                     why.lost_connection != 0 ? Loss::connection : Loss::session,
                     lost.link->has_answered());
    wake_.signal();
    publish();
    answer_waiting();
}

}  // namespace holdfast::downstream
