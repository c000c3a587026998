#include <utility>

#include "downstream/starting_fault.hpp"
#include "downstream/supervision/connection_text.hpp"
#include "downstream/supervision/downstream_core.hpp"

// The traffic of a downstream: calls that look for their link, the preferences of agents, and the
// events of its links.

namespace holdfast::downstream {

namespace {

/// The link that all legacy agents share; the key of no agent.
constexpr std::string_view kSharedLegacyLeg = "\n";

/// Whether a call waits for the running or scheduled dial.
bool is_waited_for(const DownstreamView& seen, ConnectionWait wait) {
    switch (wait) {
        case ConnectionWait::never:
            return !seen.is_down;
        case ConnectionWait::first_try:
            return seen.status.failed_dials == 0;
        case ConnectionWait::always:
            return !seen.status.is_given_up;
    }
    return false;
}

}  // namespace

std::optional<LinkOutcome> DownstreamCore::link_at_once(const net::OwningLoop& loop,
                                                        const AgentIdentity* agent,
                                                        ConnectionWait wait) {
    const DownstreamView& seen = *published_.on(loop);
    if (seen.status.state == LinkState::stopped) {
        return stopping_fault(options_.name);
    }
    if (seen.status.state == LinkState::paused) {
        return paused_fault(options_.name);
    }
    if (const auto own = own_link_of(agent, seen, loop)) {
        // An agent's own session may live on while the shared link is being renewed.
        if (auto grant = agents_->try_use(std::string{own->key}, loop.timekeeper->now())) {
            return LinkOutcome{std::move(*grant)};
        }
    } else if (auto link = seen.link.lock()) {
        return LinkOutcome{LinkGrant{.link = std::move(link)}};
    }
    const bool is_being_dialled =
        seen.status.state == LinkState::waiting || seen.status.state == LinkState::connecting;
    if (is_being_dialled && !is_waited_for(seen, wait)) {
        CallFault fault = not_connected_fault(options_.name, seen.status, loop.timekeeper->now());
        if (seen.was_unauthorized) {
            fault.kind = CallFault::Kind::unauthorized;
        }
        return LinkOutcome{std::move(fault)};
    }
    return std::nullopt;
}

std::optional<DownstreamCore::OwnLink> DownstreamCore::own_link_of(
    const AgentIdentity* agent, const DownstreamView& seen, const net::OwningLoop& loop) const {
    if (agent == nullptr || agent->key.empty()) {
        return std::nullopt;
    }
    if (!seen.shares_link) {
        return OwnLink{.key = agent->key};
    }
    // Only agents of the legacy era have sessions.
    const bool uses_leg = agent->is_session &&
                          seen.legacy_leg_from != resilience::TimePoint::max() &&
                          loop.timekeeper->now() >= seen.legacy_leg_from;
    if (!uses_leg) {
        return std::nullopt;
    }
    const bool is_shared = options_.legacy_leg == LegacyLeg::shared;
    return OwnLink{.key = is_shared ? kSharedLegacyLeg : agent->key, .is_legacy_leg = true};
}

void DownstreamCore::join_own(const AgentIdentity& agent,
                              const std::shared_ptr<LinkWaiter>& waiter) {
    const auto own = own_link_of(&agent, *view(), home_);
    if (!own || !own->is_legacy_leg) {
        agents_->join(agent, waiter,
                      {.era = known_era(home_.timekeeper->now()),
                       .is_era_required = options_.required_era.has_value()});
        return;
    }
    constexpr AgentLinkPlan kLeg{
        .era = mcp::Era::legacy, .is_era_required = true, .is_legacy_leg = true};
    if (own->key == agent.key) {
        agents_->join(agent, waiter, kLeg);
    } else {
        agents_->join(AgentIdentity{.key = std::string{own->key},
                                    .capabilities = std::string{kRelayedCapabilities}},
                      waiter, kLeg);
    }
}

LinkOutcome DownstreamCore::on_legacy_leg_failed(const CallFault& why) {
    const bool may_pass = why.kind != CallFault::Kind::not_connected;
    legacy_leg_from_ =
        may_pass ? resilience::saturating_add(home_.timekeeper->now(), options_.legacy_leg_retry)
                 : resilience::TimePoint::max();
    publish_view();
    if (shared_.link) {
        return LinkGrant{.link = shared_.link};
    }
    return not_connected_fault(options_.name, view()->status, home_.timekeeper->now());
}

std::optional<CallFault> DownstreamCore::fault_of_wait(resilience::TimePoint now) const {
    const auto seen = view();
    if (seen->status.state == LinkState::ready) {
        return std::nullopt;
    }
    if (seen->status.starting_since) {
        return starting_fault(options_.name,
                              resilience::elapsed_between(*seen->status.starting_since, now));
    }
    CallFault fault = not_connected_fault(options_.name, seen->status, now);
    fault.message += " The call has reached its time limit for waiting.";
    fault.is_final = false;
    return fault;
}

void DownstreamCore::join(const std::shared_ptr<const AgentIdentity>& agent,
                          const std::shared_ptr<LinkWaiter>& waiter) {
    start();
    if (auto outcome = link_at_once(home_, agent.get(), waiter->connection_wait())) {
        waiter->finish(std::move(*outcome));
    } else if (machine_.state() == LinkState::ready) {
        join_own(*agent, waiter);
    } else {
        queue(agent, waiter);
    }
}

void DownstreamCore::queue(const std::shared_ptr<const AgentIdentity>& agent,
                           const std::shared_ptr<LinkWaiter>& waiter) {
    std::erase_if(waiting_, [](const Waiting& other) { return other.waiter.expired(); });
    if (waiting_.size() >= options_.max_waiting_calls) {
        waiter->finish(CallFault{.kind = CallFault::Kind::overloaded,
                                 .message = "Too many calls are waiting for the server \"" +
                                            options_.name + "\" to connect."});
        return;
    }
    waiting_.push_back({.agent = agent, .waiter = waiter});
    if (start_) {
        start_->prefer();
    }
}

void DownstreamCore::answer_waiting() {
    // Calls that keep waiting queue again, in the same order.
    for (const Waiting& waiting : std::exchange(waiting_, {})) {
        if (const auto waiter = waiting.waiter.lock()) {
            join(waiting.agent, waiter);
        }
    }
}

void DownstreamCore::notify(std::string_view method, std::string params,
                            const std::string& agent_key) {
    if (const auto own = agents_->find(agent_key)) {
        own->notify(method, std::move(params));
        return;
    }
    if (const auto leg = agents_->find(std::string{kSharedLegacyLeg})) {
        leg->notify(method, std::move(params));
        return;
    }
    const auto link = shared_.link;
    // An agent's session that is not open yet will send its own request once it is.
    if (link && shares_link_ && link->negotiated().era() == mcp::Era::legacy) {
        link->notify(method, std::move(params));
    }
}

void DownstreamCore::set_subscriptions(const std::string& agent_key,
                                       std::vector<std::string> uris) {
    preferences_.set_uris(agent_key, std::move(uris));
    tune_agent(agent_key);
    tune_shared();
}

void DownstreamCore::set_log_level(const std::string& agent_key, std::string_view level) {
    preferences_.set_level(agent_key, level);
    tune_agent(agent_key);
    tune_shared();
    tune_legacy_leg();
}

void DownstreamCore::end_agent(const std::string& agent_key) {
    preferences_.forget(agent_key);
    agents_->end_agent(agent_key);
    tune_shared();
}

void DownstreamCore::tune_shared() {
    const auto tuner = shared_.tuner;
    if (!tuner) {
        return;
    }
    const auto has_own = [this](const std::string& agent_key) { return has_own_link(agent_key); };
    tuner->apply({.lists = true, .resource_uris = preferences_.shared_uris(has_own)},
                 preferences_.shared_level(has_own));
}

void DownstreamCore::tune_agent(const std::string& agent_key) {
    // The shared link receives list changes for all agents.
    agents_->tune(agent_key, {.lists = false, .resource_uris = preferences_.uris_of(agent_key)},
                  preferences_.level_of(agent_key));
}

void DownstreamCore::tune_legacy_leg() {
    const auto has_own = [this](const std::string& agent_key) { return has_own_link(agent_key); };
    // The shared link receives changes of lists and resources for all agents.
    agents_->tune(std::string{kSharedLegacyLeg}, {.lists = false},
                  preferences_.shared_level(has_own));
}

bool DownstreamCore::has_own_link(const std::string& agent_key) const {
    return agents_->find(agent_key) != nullptr;
}

void DownstreamCore::on_agent_link_opened(const std::string& agent_key) {
    if (agent_key == kSharedLegacyLeg) {
        tune_legacy_leg();
        return;
    }
    tune_agent(agent_key);
    tune_shared();
}

void DownstreamCore::on_agent_link_closed(const std::string& /*agent_key*/) {
    // Until the agent calls again, the shared link serves its subscriptions.
    tune_shared();
}

void DownstreamCore::on_link_notification(const LinkEvents& from, Notification notification) {
    if (from.agent_key() == kSharedLegacyLeg) {
        // The shared link reports changes of lists and resources. The rest is for no known agent.
        if (notification.method == "notifications/message") {
            tell({}, std::move(notification));
        }
        return;
    }
    const auto lists = shared_.lists;
    if (!lists || !lists->on_notification(notification)) {
        tell(from.agent_key(), std::move(notification));
    }
}

void DownstreamCore::on_link_question(const LinkEvents& from, Question question) {
    // Without a watcher the question is dropped, and the downstream gets an error.
    if (const auto watcher = watcher_.lock()) {
        const bool is_shared = from.agent_key() == kSharedLegacyLeg;
        watcher->on_question(options_.name, is_shared ? std::string{} : from.agent_key(),
                             std::move(question));
    }
}

void DownstreamCore::on_link_junk(const JunkNotice& notice) {
    if (const auto watcher = watcher_.lock()) {
        watcher->on_junk(options_.name, notice);
    }
}

void DownstreamCore::on_link_lost(const LinkEvents& from, CallFault why) {
    if (shared_.ear.get() == &from) {
        on_shared_lost(why);
    } else {
        agents_->on_lost(from);
    }
}

void DownstreamCore::tell(const std::string& agent_key, Notification notification) {
    if (const auto watcher = watcher_.lock()) {
        watcher->on_notification(options_.name, agent_key, std::move(notification));
    }
}

ListReader DownstreamCore::list_reader() {
    // Weak, because this object owns the lists.
    const auto weak = weak_from_this();
    return {.on_listed =
                [weak](Listing listing) {
                    const auto self = weak.lock();
                    if (!self) {
                        return;
                    }
                    self->on_list_read(listing);
                    if (const auto watcher = self->watcher_.lock()) {
                        watcher->on_listed(self->options_.name, std::move(listing));
                    }
                },
            .on_failed =
                [weak](ListKind kind, const CallFault& why) {
                    if (const auto self = weak.lock()) {
                        self->on_list_failed(kind, why);
                    }
                },
            .on_changed =
                [weak](Notification notification) {
                    if (const auto self = weak.lock()) {
                        self->tell({}, std::move(notification));
                    }
                },
            .calls = [weak]() -> std::uint64_t {
                const auto self = weak.lock();
                return self ? self->calls_.load(std::memory_order_relaxed) : 0;
            }};
}

}  // namespace holdfast::downstream
