#include "holdfast/resilience/circuit_registry.hpp"

#include <algorithm>
#include <utility>

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/detail/random.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {
namespace {

/// A full registry is swept at most this often, so that a flood of new names is cheap to refuse.
constexpr Duration kSweepPauseWhenFull = std::chrono::seconds{1};

}  // namespace

Result<CircuitRegistryOptions> validated(const CircuitRegistryOptions& options) {
    return detail::OptionCheck{"registry"}
        .nested(validated(options.defaults))
        .at_least("max_circuits", options.max_circuits, 1)
        .positive("idle_after", options.idle_after)
        .result(options);
}

NamedCircuit::NamedCircuit(std::string_view name, const CircuitBreakerOptions& options,
                           Observer* observer, std::uint64_t jitter_seed)
    : breaker_(options,
               {.name = std::string{name},
                .observer = observer,
                .jitter_seed = detail::mixed(jitter_seed, std::hash<std::string_view>{}(name))}) {}

bool NamedCircuit::is_sweepable(TimePoint now, Duration idle_after) const {
    // Counts matter for a full window, even if the configured idle time is shorter.
    const Duration idle_enough = std::max(idle_after, breaker_.options().window);
    return breaker_.permits_outstanding() == 0 && breaker_.mode() == CircuitMode::normal &&
           breaker_.state(now) == CircuitState::closed &&
           elapsed_between(breaker_.last_used(), now) >= idle_enough;
}

void NamedCircuit::sweep(TimePoint now) {
    swept_after_use_ = breaker_.last_used();
    breaker_.reset(now);
}

CircuitRegistry::CircuitRegistry(const CircuitRegistryOptions& options, Observer* observer)
    : options_(options), observer_(observer) {
    HOLDFAST_EXPECT(validated(options).has_value());
}

Result<void> CircuitRegistry::configure(std::string_view name, const CircuitBreakerOptions& options,
                                        TimePoint now) {
    if (const auto checked = validated(options); !checked) {
        return checked.error();
    }
    const auto place = configured_.find(name);
    if (place == configured_.end()) {
        if (configured_.size() >= options_.max_circuits) {
            return Error{Errc::limit_reached,
                         "registry.max_circuits (" + std::to_string(options_.max_circuits) +
                             ") circuits are configured already; cannot add \"" +
                             std::string{name} + "\""};
        }
        configured_.emplace(name, options);
    } else {
        place->second = options;
    }
    if (NamedCircuit* circuit = find(name)) {
        circuit->breaker().reconfigure(options, now);
    }
    return {};
}

Result<CircuitHandle> CircuitRegistry::get(std::string_view name, TimePoint now) {
    if (const auto place = circuits_.find(name); place != circuits_.end()) {
        return place->second;
    }
    if (circuits_.size() >= options_.max_circuits && now >= next_sweep_when_full_) {
        sweep(now);
        next_sweep_when_full_ = saturating_add(now, kSweepPauseWhenFull);
    }
    if (circuits_.size() >= options_.max_circuits) {
        return Error{Errc::limit_reached,
                     "registry.max_circuits (" + std::to_string(options_.max_circuits) +
                         ") circuits are in use; cannot add \"" + std::string{name} + "\""};
    }
    auto circuit =
        std::make_shared<NamedCircuit>(name, options_for(name), observer_, options_.jitter_seed);
    circuits_.emplace(name, circuit);
    return circuit;
}

NamedCircuit* CircuitRegistry::find(std::string_view name) const {
    const auto place = circuits_.find(name);
    return place == circuits_.end() ? nullptr : place->second.get();
}

std::size_t CircuitRegistry::sweep(TimePoint now) {
    std::size_t swept = 0;
    for (auto place = circuits_.begin(); place != circuits_.end();) {
        NamedCircuit& circuit = *place->second;
        if (!circuit.is_sweepable(now, options_.idle_after)) {
            ++place;
            continue;
        }
        const bool is_held = place->second.use_count() > 1;
        if (!is_held) {
            place = circuits_.erase(place);
            ++swept;
            continue;
        }
        // An entry with a handle stays, so that a name never has two circuits.
        if (circuit.breaker().last_used() != circuit.swept_after_use_) {
            circuit.sweep(now);
            ++swept;
        }
        ++place;
    }
    swept_total_ += swept;
    return swept;
}

const CircuitBreakerOptions& CircuitRegistry::options_for(std::string_view name) const {
    const auto place = configured_.find(name);
    return place == configured_.end() ? options_.defaults : place->second;
}

}  // namespace holdfast::resilience
