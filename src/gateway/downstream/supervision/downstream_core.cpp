#include "downstream/supervision/downstream_core.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "downstream/supervision/connection_text.hpp"

// How a downstream begins and ends; `downstream_connecting.cpp` has what happens in between.

namespace holdfast::downstream {

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
    started_at_ = home_.timekeeper->now();
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
    set_reason("It has been stopped.");
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
