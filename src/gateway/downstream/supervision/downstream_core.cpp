#include "downstream/supervision/downstream_core.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "downstream/supervision/connection_text.hpp"

// How a downstream connects and ends. One coroutine, `keep_connected`, follows the reconnect
// machine and alone opens the shared link, so there are never two attempts at once. Every event
// first changes the machine, then the published snapshot, then notifies others. They may call back
// at any of these points and find a consistent state.

namespace holdfast::downstream {
namespace {

/// Everything that can be relayed to some agent.
constexpr std::string_view kSharedCapabilities =
    R"({"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}})";

bool shares_link(SessionMode mode, const Negotiated& negotiated) noexcept {
    if (negotiated.era() == mcp::Era::modern) {
        return mode != SessionMode::connection_per_agent;
    }
    return mode == SessionMode::automatic ? !negotiated.has_session_id
                                          : mode == SessionMode::shared;
}

}  // namespace

std::shared_ptr<DownstreamCore> DownstreamCore::make(net::OwningLoop home,
                                                     std::shared_ptr<LinkOpener> opener,
                                                     DownstreamOptions options,
                                                     std::weak_ptr<DownstreamWatcher> watcher) {
    // Not make_shared: the constructor is private.
    std::shared_ptr<DownstreamCore> core{new DownstreamCore{
        std::move(home), std::move(opener), std::move(options), std::move(watcher)}};
    core->agents_->set_owner(core);
    return core;
}

DownstreamCore::DownstreamCore(net::OwningLoop home, std::shared_ptr<LinkOpener> opener,
                               DownstreamOptions options, std::weak_ptr<DownstreamWatcher> watcher)
    : home_(std::move(home)),
      options_(std::move(options)),
      opener_(std::move(opener)),
      agents_(std::make_shared<AgentLinks>(home_, opener_, options_)),
      watcher_(std::move(watcher)),
      published_(std::make_shared<const DownstreamView>()),
      machine_({.backoff = options_.reconnect,
                .sustained_uptime = options_.sustained_uptime,
                .max_retry_after = options_.max_retry_after,
                .waits_for_peer = options_.waits_for_peer},
               options_.seed),
      era_(options_.known_era, home_.timekeeper->now(), options_.known_era_age,
           options_.max_era_age),
      preferences_(options_.max_agents),
      wake_(*home_.timekeeper) {}

void DownstreamCore::start() {
    if (!machine_.on_start()) {
        return;
    }
    publish();
    run();
}

void DownstreamCore::on_available() {
    if (!machine_.on_available()) {
        return;
    }
    publish();
    run_or_wake();
}

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
    LinkPurpose purpose{.capabilities = std::string{kSharedCapabilities},
                        .known_era = self->era_.known(now)};
    auto opened =
        co_await self->opener_->open(self->home_, std::move(purpose), ear,
                                     resilience::Deadline::after(now, self->options_.connect_wait));
    if (self->machine_.state() != LinkState::connecting) {
        // Stopped or paused meanwhile, so the result is not needed.
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
    reason_.clear();
    lost_log_lines_.reset();
    was_unauthorized_ = false;
    era_.learn(link->negotiated().era(), now);
    shares_link_ = shares_link(options_.session, link->negotiated());
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
    reason_ = why.message;
    lost_log_lines_.reset();
    was_unauthorized_ = why.kind == CallFault::Kind::unauthorized;
    era_.forget();
    machine_.on_refused(home_.timekeeper->now(), why.retry_after);
    publish();
    answer_waiting();
}

void DownstreamCore::on_shared_lost(const CallFault& why) {
    reason_ = why.message;
    const Shared lost = std::exchange(shared_, {});
    lost_log_lines_ = lost.link->last_log_lines(kKeptLogLines);
    lost.lists->stop();
    machine_.on_lost(home_.timekeeper->now(),
                     why.lost_connection != 0 ? Loss::connection : Loss::session,
                     lost.link->has_answered());
    wake_.signal();
    publish();
    answer_waiting();
}

boost::asio::awaitable<void> DownstreamCore::stop() {
    return stop_politely(shared_from_this());
}

boost::asio::awaitable<void> DownstreamCore::stop_politely(std::shared_ptr<DownstreamCore> self) {
    auto links = self->end_everything();
    self->publish();
    const auto countdown = std::make_shared<Countdown>(*self->home_.timekeeper);
    if (self->is_running_ && !self->stopping_) {
        countdown->add();
        self->stopping_ = countdown;
    }
    close_counted(self->home_.executor, std::move(links), stopping_fault(self->options_.name),
                  countdown);
    co_await countdown->wait_until(
        resilience::saturating_add(self->home_.timekeeper->now(), self->options_.stop_wait));
}

void DownstreamCore::abandon() {
    watcher_.reset();
    for (auto& link : end_everything()) {
        close_in_background(home_.executor, std::move(link), stopping_fault(options_.name));
    }
    publish();
}

std::vector<std::shared_ptr<Link>> DownstreamCore::end_everything() {
    const CallFault why = stopping_fault(options_.name);
    machine_.on_stop();
    reason_ = "It has been stopped.";
    agents_->shut();
    auto links = take_links(why);
    for (const Waiting& waiting : std::exchange(waiting_, {})) {
        if (const auto waiter = waiting.waiter.lock()) {
            waiter->finish(why);
        }
    }
    if (is_running_) {
        // Posted, so that the signal lives until it has reached the coroutine.
        boost::asio::post(home_.executor, [self = shared_from_this()] {
            self->cancel_.emit(boost::asio::cancellation_type::terminal);
        });
    }
    return links;
}

std::vector<std::shared_ptr<Link>> DownstreamCore::take_links(const CallFault& why) {
    auto links = agents_->take_all(why);
    const Shared ended = std::exchange(shared_, {});
    if (ended.link) {
        lost_log_lines_ = ended.link->last_log_lines(kKeptLogLines);
        ended.lists->stop();
        links.push_back(ended.link);
    }
    return links;
}

}  // namespace holdfast::downstream
