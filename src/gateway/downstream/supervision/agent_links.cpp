#include "downstream/supervision/agent_links.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "downstream/supervision/connection_text.hpp"
#include "downstream/supervision/link_closing.hpp"

namespace holdfast::downstream {

AgentLinks::AgentLinks(net::OwningLoop home, std::shared_ptr<LinkOpener> opener,
                       const DownstreamOptions& options)
    : home_(std::move(home)), opener_(std::move(opener)), options_(options) {}

AgentLinks::~AgentLinks() {
    if (is_scheduled()) {
        home_.timekeeper->cancel(*this);
    }
}

std::optional<LinkGrant> AgentLinks::try_use(const std::string& agent_key,
                                             resilience::TimePoint now) {
    auto used = table_->with([&](AgentLinkTable& table) { return table.try_use(agent_key, now); });
    if (!used) {
        return std::nullopt;
    }
    return LinkGrant{.link = std::move(used->link),
                     .use = std::make_unique<AgentLinkUse>(table_, agent_key, used->link_id)};
}

void AgentLinks::join(const AgentIdentity& agent, const std::shared_ptr<LinkWaiter>& waiter,
                      const AgentLinkPlan& plan) {
    if (auto grant = try_use(agent.key, home_.timekeeper->now())) {
        waiter->finish(std::move(*grant));
        return;
    }
    const auto place = openings_.find(agent.key);
    if (place == openings_.end()) {
        start_opening(agent, waiter, plan);
        return;
    }
    auto& waiters = place->second->waiters;
    std::erase_if(waiters, [](const auto& other) { return other.expired(); });
    if (waiters.size() >= options_.max_waiting_calls) {
        waiter->finish(
            CallFault{.kind = CallFault::Kind::overloaded,
                      .message = "Too many calls are waiting for a session with the server."});
        return;
    }
    waiters.push_back(waiter);
}

void AgentLinks::start_opening(const AgentIdentity& agent,
                               const std::shared_ptr<LinkWaiter>& waiter,
                               const AgentLinkPlan& plan) {
    auto opening = std::make_shared<Opening>();
    opening->ear = std::make_shared<LinkEvents>(owner_, agent.key);
    opening->waiters.push_back(waiter);
    opening->is_legacy_leg = plan.is_legacy_leg;
    if (!has_slot_or_evicts()) {
        fail(*opening, {.kind = CallFault::Kind::overloaded,
                        .message = "All sessions with the server are in use."});
        return;
    }
    openings_.emplace(agent.key, opening);
    boost::asio::co_spawn(home_.executor,
                          open(shared_from_this(), opening,
                               LinkPurpose{.capabilities = agent.capabilities,
                                           .client_info = agent.client_info,
                                           .known_era = plan.era,
                                           .is_era_required = plan.is_era_required,
                                           .agent_headers = waiter->agent_headers()}),
                          boost::asio::bind_cancellation_slot(
                              opening->cancel.slot(), [opening](const std::exception_ptr&) {}));
}

boost::asio::awaitable<void> AgentLinks::open(std::shared_ptr<AgentLinks> self,
                                              std::shared_ptr<Opening> opening,
                                              LinkPurpose purpose) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    const auto deadline =
        resilience::Deadline::after(self->home_.timekeeper->now(), self->options_.connect_wait);
    Opened opened =
        co_await self->opener_->open(self->home_, std::move(purpose), opening->ear, deadline);
    self->finish_opening(opening, std::move(opened));
}

void AgentLinks::finish_opening(const std::shared_ptr<Opening>& opening, Opened opened) {
    const auto place = openings_.find(opening->ear->agent_key());
    if (place == openings_.end() || place->second != opening) {
        // The agent has disconnected meanwhile, and its calls have failed.
        if (opened) {
            close_in_background(home_.executor, std::move(opened).value(), session_over_fault());
        }
        return;
    }
    openings_.erase(place);
    if (opened && !opening->ear->lost()) {
        adopt(opening, opened.value());
        return;
    }
    CallFault why = opened ? *opening->ear->lost() : opened.error();
    why.delivery = resilience::Delivery::not_sent;
    fail(*opening, why);
}

void AgentLinks::fail(const Opening& opening, const CallFault& why) {
    const auto owner = owner_.lock();
    for (const auto& waiting : opening.waiters) {
        if (const auto waiter = waiting.lock()) {
            waiter->finish(opening.is_legacy_leg && owner ? owner->on_legacy_leg_failed(why)
                                                          : LinkOutcome{why});
        }
    }
}

void AgentLinks::adopt(const std::shared_ptr<Opening>& opening, const std::shared_ptr<Link>& link) {
    const std::string& agent_key = opening->ear->agent_key();
    const auto now = home_.timekeeper->now();
    attached_[agent_key] = {
        .ear = opening->ear,
        .tuner = std::make_shared<LinkPreferences>(home_, link, options_.list_wait)};
    table_->with([&](AgentLinkTable& table) { table.put(agent_key, link, now); });
    plan_sweep();
    for (const auto& waiting : opening->waiters) {
        if (const auto waiter = waiting.lock()) {
            waiter->finish(std::move(*try_use(agent_key, now)));
        }
    }
    if (const auto owner = owner_.lock()) {
        owner->on_agent_link_opened(agent_key);
    }
}

std::shared_ptr<Link> AgentLinks::find(const std::string& agent_key) const {
    return table_->with([&](const AgentLinkTable& table) { return table.find(agent_key); });
}

void AgentLinks::tune(const std::string& agent_key, Interests interests, std::string level) {
    const auto place = attached_.find(agent_key);
    if (place != attached_.end()) {
        // Keeps it alive: the link may report its loss during this call.
        const auto tuner = place->second.tuner;
        tuner->apply(std::move(interests), std::move(level));
    }
}

void AgentLinks::on_lost(const LinkEvents& from) {
    const auto place = attached_.find(from.agent_key());
    if (place == attached_.end() || place->second.ear.get() != &from) {
        return;
    }
    const AgentLinkTable::Taken lost{
        .agent_key = from.agent_key(),
        .link = table_->with([&](AgentLinkTable& table) { return table.take(from.agent_key()); })};
    detach(lost);
}

void AgentLinks::end_agent(const std::string& agent_key) {
    if (const auto place = openings_.find(agent_key); place != openings_.end()) {
        const auto opening = place->second;
        openings_.erase(place);
        cancel(opening);
        for (const auto& waiting : opening->waiters) {
            if (const auto waiter = waiting.lock()) {
                waiter->finish(CallFault{.kind = CallFault::Kind::cancelled,
                                         .message = "The agent's session has ended."});
            }
        }
    }
    auto link = table_->with([&](AgentLinkTable& table) { return table.take(agent_key); });
    if (link) {
        close_in_background(home_.executor, link, session_over_fault());
        detach({.agent_key = agent_key, .link = std::move(link)});
    }
}

void AgentLinks::cancel(const std::shared_ptr<Opening>& opening) const {
    // Posted, so that the signal lives until it has reached the coroutine.
    boost::asio::post(home_.executor, [opening] {
        opening->cancel.emit(boost::asio::cancellation_type::terminal);
    });
}

std::vector<std::shared_ptr<Link>> AgentLinks::take_all(const CallFault& why) {
    if (is_scheduled()) {
        home_.timekeeper->cancel(*this);
    }
    for (const auto& [agent_key, opening] : std::exchange(openings_, {})) {
        cancel(opening);
        for (const auto& waiting : opening->waiters) {
            if (const auto waiter = waiting.lock()) {
                waiter->finish(why);
            }
        }
    }
    attached_.clear();
    std::vector<std::shared_ptr<Link>> links;
    for (auto& taken : table_->with([](AgentLinkTable& table) { return table.take_all(); })) {
        links.push_back(std::move(taken.link));
    }
    return links;
}

std::size_t AgentLinks::size() const {
    return table_->with([](const AgentLinkTable& table) { return table.size(); });
}

bool AgentLinks::has_slot_or_evicts() {
    if (is_over_) {
        return false;
    }
    if (size() + openings_.size() < options_.max_agent_links) {
        return true;
    }
    auto taken = table_->with([](AgentLinkTable& table) { return table.take_least_recent_idle(); });
    if (!taken) {
        return false;
    }
    close_in_background(home_.executor, taken->link, session_over_fault());
    detach(*taken);
    return true;
}

void AgentLinks::detach(const AgentLinkTable::Taken& taken) {
    attached_.erase(taken.agent_key);
    if (const auto owner = owner_.lock()) {
        owner->on_agent_link_closed(taken.agent_key);
    }
}

void AgentLinks::on_time() {
    const auto limit = home_.timekeeper->now() - options_.agent_link_idle;
    for (const auto& taken :
         table_->with([&](AgentLinkTable& table) { return table.take_idle_since(limit); })) {
        close_in_background(home_.executor, taken.link, session_over_fault());
        detach(taken);
    }
    plan_sweep();
}

void AgentLinks::plan_sweep() {
    const auto oldest =
        table_->with([](const AgentLinkTable& table) { return table.oldest_use(); });
    if (!oldest || is_over_) {
        return;
    }
    const auto now = home_.timekeeper->now();
    const auto due = resilience::saturating_add(*oldest, options_.agent_link_idle);
    // A link in long use is checked again after the idle time, not continuously.
    home_.timekeeper->schedule(
        *this, due > now ? due : resilience::saturating_add(now, options_.agent_link_idle));
}

}  // namespace holdfast::downstream
