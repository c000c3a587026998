#include <algorithm>
#include <utility>

#include "guard/safeguards.hpp"
#include "holdfast/resilience/circuit_breaker.hpp"

// What there is to see of a server's guard, and what an operator may do to it.

namespace holdfast::guard {
namespace {

using resilience::CircuitMode;
using resilience::TimePoint;

CircuitView view_of(const resilience::NamedCircuit& circuit, TimePoint now) {
    return {.name = std::string{circuit.name()},
            .options = circuit.options(),
            .status = circuit.breaker().status(now),
            .opened = circuit.breaker().opened_total()};
}

/// Of a circuit that nobody has used yet: what it will begin as.
CircuitView unused_view(const policy::ResolvedCircuit& circuit, TimePoint now) {
    return {.name = circuit.name,
            .options = circuit.options,
            .status = resilience::CircuitBreaker{circuit.options}.status(now)};
}

CircuitMode mode_of(CircuitCommand command) {
    switch (command) {
        case CircuitCommand::force_open:
            return CircuitMode::forced_open;
        case CircuitCommand::disable:
            return CircuitMode::disabled;
        case CircuitCommand::metrics_only:
            return CircuitMode::metrics_only;
        case CircuitCommand::reset:
        case CircuitCommand::normal:
            break;
    }
    return CircuitMode::normal;
}

}  // namespace

QueueView ServerGuard::queue() const {
    return owner_.lock_.with([&] {
        return QueueView{.in_flight = bulkhead_.in_flight(),
                         .queued = bulkhead_.queued(),
                         .options = bulkhead_.options()};
    });
}

ServerHealth ServerGuard::health() const {
    return owner_.lock_.with([this] { return health_; });
}

void ServerGuard::note(const policy::Classified& attempt, TimePoint now) {
    if (attempt.outcome == resilience::Outcome::success) {
        health_.failing_with.reset();
    } else if (attempt.outcome == resilience::Outcome::failure) {
        health_ = {.failing_with = attempt.error_class->id,
                   .class_name = attempt.error_class->name,
                   .since = now};
    }
}

std::vector<CircuitView> ServerGuard::circuits(TimePoint now) const {
    return owner_.lock_.with([&] {
        std::vector<CircuitView> views;
        views.reserve(circuits_.size() + 1);
        for (const auto& [name, use] : circuits_) {
            views.push_back(view_of(*use.circuit, now));
        }
        if (own_circuit_ && !circuits_.contains(own_circuit_->name)) {
            const resilience::NamedCircuit* const known =
                owner_.registry_.find(own_circuit_->name);  // another server may have used it
            views.push_back(known != nullptr ? view_of(*known, now)
                                             : unused_view(*own_circuit_, now));
            std::ranges::sort(views, {}, &CircuitView::name);
        }
        return views;
    });
}

bool ServerGuard::command(std::string_view circuit, CircuitCommand command, TimePoint now) {
    return owner_.lock_.with([&] {
        auto known = circuits_.find(circuit);
        if (known == circuits_.end() && own_circuit_ && own_circuit_->name == circuit) {
            std::ignore = circuit_of(*own_circuit_, now);  // There may be no place for it.
            known = circuits_.find(circuit);
        }
        if (known == circuits_.end()) {
            return false;
        }
        resilience::CircuitBreaker& breaker = known->second.circuit->breaker();
        breaker.set_mode(mode_of(command), now);
        if (command == CircuitCommand::reset) {
            breaker.reset(now);
        }
        return true;
    });
}

}  // namespace holdfast::guard
