#include "guard/server_guard.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "guard/safeguards.hpp"

namespace holdfast::guard {

using resilience::TimePoint;

ServerGuard::ServerGuard(Safeguards& owner, std::string name, const policy::PolicyTable& table)
    : owner_(owner),
      name_(std::move(name)),
      policies_(table),
      own_circuit_(table.resolve_server(name_).circuit),
      bulkhead_(policy::bulkhead_options(table.resolve_server(name_).policy.limit),
                owner.lock_.waker()),
      rate_(policy::rate_limiter_options(table.resolve_server(name_).policy.rate_limit)) {
    if (const auto options = policy::budget_options(table.resolve_server(name_).policy.retry)) {
        budget_.emplace(*options);
    }
}

std::shared_ptr<const CallRules> ServerGuard::rules_for_tool(std::string_view tool, TimePoint now) {
    std::uint64_t edition = 0;
    std::optional<policy::PolicyTable> table;
    auto known = owner_.lock_.with([&]() -> std::shared_ptr<const CallRules> {
        const auto found = by_tool_.find(tool);
        if (found != by_tool_.end()) {
            return found->second;
        }
        edition = edition_;
        table = policies_;
        return nullptr;
    });
    if (known) {
        return known;
    }
    // Once for each tool, and not under the lock: it reads many patterns.
    policy::ResolvedTool resolved = table->resolve(name_, tool);
    return owner_.lock_.with([&] {
        if (edition != edition_) {
            resolved =
                policies_.resolve(name_, tool);  // A new table came meanwhile, which is rare.
        }
        auto rules = interned(std::move(resolved), now);
        if (by_tool_.size() < owner_.options_.max_tools) {
            by_tool_.insert_or_assign(std::string{tool}, rules);
        }
        return rules;
    });
}

std::shared_ptr<const CallRules> ServerGuard::rules(TimePoint now) {
    return owner_.lock_.with([&] {
        if (!of_server_) {
            of_server_ = interned(policies_.resolve_server(name_), now);
        }
        return of_server_;
    });
}

std::shared_ptr<const CallRules> ServerGuard::rules_for_call(const CallRules& rules,
                                                             const policy::CallOverrides& wishes) {
    policy::ResolvedTool resolved = rules.resolved;
    resolved.policy = policy::for_call(std::move(resolved.policy), wishes);
    return std::make_shared<const CallRules>(std::move(resolved), rules);
}

std::shared_ptr<const CallRules> ServerGuard::rules_for_probe(const CallRules& rules) {
    policy::ResolvedTool resolved = rules.resolved;
    resolved.policy.retry.is_on = false;
    return std::make_shared<const CallRules>(std::move(resolved), rules);
}

void ServerGuard::reconfigure(const policy::PolicyTable& table, TimePoint now) {
    const policy::ResolvedTool of_server = table.resolve_server(name_);
    const policy::Policy& policy = of_server.policy;
    owner_.lock_.with([&] {
        policies_ = table;
        edition_.fetch_add(1, std::memory_order_release);
        own_circuit_ = of_server.circuit;
        by_tool_.clear();
        distinct_.clear();
        of_server_.reset();
        if (const auto options = policy::bulkhead_options(policy.limit);
            options != bulkhead_.options()) {
            bulkhead_.reconfigure(options);
        }
        rate_ = policy::rate_limiter_options(policy.rate_limit);
        for (auto& [principal, limiter] : limiters_) {
            if (rate_) {
                limiter.reconfigure(*rate_, now);
            }
        }
        // Without a budget in the new table its rules do not ask for the old one.
        if (const auto options = policy::budget_options(policy.retry); options && budget_) {
            budget_->reconfigure(*options, now);
        } else if (options) {
            budget_.emplace(*options);
        }
    });
}

std::shared_ptr<const CallRules> ServerGuard::interned(policy::ResolvedTool resolved,
                                                       TimePoint now) {
    const auto alike = std::ranges::find_if(
        distinct_,
        [&](const std::shared_ptr<const CallRules>& rules) { return rules->resolved == resolved; });
    if (alike != distinct_.end()) {
        return *alike;
    }
    CircuitUse* const use = resolved.circuit ? circuit_of(*resolved.circuit, now) : nullptr;
    distinct_.push_back(std::make_shared<const CallRules>(std::move(resolved), use));
    return distinct_.back();
}

CircuitUse* ServerGuard::circuit_of(const policy::ResolvedCircuit& circuit, TimePoint now) {
    const auto known = circuits_.find(circuit.name);
    if (known != circuits_.end()) {
        if (known->second.circuit->options() != circuit.options) {
            // There is a place for it already. Figures that are not valid leave it as it is.
            std::ignore = owner_.registry_.configure(circuit.name, circuit.options, now);
        }
        return &known->second;
    }
    // Without a place for its circuit a tool is served without one, not refused.
    if (!owner_.registry_.configure(circuit.name, circuit.options, now)) {
        return nullptr;
    }
    auto handle = owner_.registry_.get(circuit.name, now);
    return handle ? &circuits_.emplace(circuit.name, CircuitUse{.circuit = *handle}).first->second
                  : nullptr;
}

resilience::RateLimiter* ServerGuard::limiter_of(std::string_view principal, TimePoint now) {
    if (!rate_) {
        return nullptr;
    }
    const auto known = limiters_.find(principal);
    if (known != limiters_.end()) {
        return &known->second;
    }
    if (limiters_.size() >= owner_.options_.max_principals) {
        // One that could take a whole burst is as good as a new one. Calls hold no limiter: it is
        // asked once, when they start.
        std::erase_if(limiters_, [&](const auto& one) { return !one.second.wait_at(now); });
    }
    // Beyond the limit all the others share one.
    const bool is_full = limiters_.size() >= owner_.options_.max_principals;
    return &limiters_.try_emplace(is_full ? std::string{} : std::string{principal}, *rate_)
                .first->second;
}

resilience::PipelineParts ServerGuard::parts_for(const CallRules& rules, std::string_view principal,
                                                 TimePoint now) {
    return {.limiter = limiter_of(principal, now),
            .circuit = rules.circuit != nullptr ? &rules.circuit->circuit->breaker() : nullptr,
            .bulkhead = &bulkhead_,
            .budget = rules.policy().retry.budget.is_on && budget_ ? &*budget_ : nullptr,
            .observer = owner_.lock_.observer()};
}

std::vector<policy::ExplainedValue> ServerGuard::explained(std::string_view tool) const {
    const policy::PolicyTable table = owner_.lock_.with([&] { return policies_; });
    return table.explain(name_, tool);
}

bool ServerGuard::is_open(const CallRules& rules, TimePoint now) {
    return rules.circuit != nullptr && owner_.lock_.with([&] {
        return rules.circuit->circuit->breaker().refusal_at(now).has_value();
    });
}

bool ServerGuard::is_tool_open(std::string_view tool, TimePoint now) const {
    const policy::PolicyTable table = owner_.lock_.with([&] { return policies_; });
    const auto circuit = table.resolve(name_, tool).circuit;  // takes longer than a lock may
    return circuit && owner_.lock_.with([&] {
        const resilience::NamedCircuit* const found = owner_.registry_.find(circuit->name);
        return found != nullptr && found->breaker().refusal_at(now).has_value();
    });
}

bool ServerGuard::awaits_probe(const CallRules& rules, TimePoint now) {
    return rules.circuit != nullptr && owner_.lock_.with([&] {
        const resilience::CircuitBreaker& breaker = rules.circuit->circuit->breaker();
        return breaker.state(now) != resilience::CircuitState::closed && !breaker.refusal_at(now);
    });
}

std::size_t ServerGuard::sweep_if_due(TimePoint now) {
    return owner_.lock_.with([&]() -> std::size_t {
        const bool is_due = owner_.next_sweep_ && now >= *owner_.next_sweep_;
        if (is_due || !owner_.next_sweep_) {
            owner_.next_sweep_ = resilience::saturating_add(now, owner_.options_.sweep_every);
        }
        return is_due ? owner_.registry_.sweep(now) : 0;
    });
}

}  // namespace holdfast::guard
