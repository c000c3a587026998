#include "guard/safeguards.hpp"

#include <algorithm>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "policy/read_policy_table.hpp"

namespace holdfast::guard {

using resilience::TimePoint;

Safeguards::Safeguards(const SafeguardsOptions& options, resilience::Observer* observer)
    : options_(options),
      lock_(observer, &waiters_),
      registry_({.max_circuits = options.max_circuits,
                 .idle_after = options.sweep_idle_after,
                 .jitter_seed = options.seed},
                lock_.observer()),
      random_(options.seed) {}

std::shared_ptr<ServerGuard> Safeguards::guard_of(const std::string& server,
                                                  const policy::PolicyTable& table) {
    ServerGuard* const guard = lock_.with([&] {
        auto& place = servers_[server];
        if (!place) {
            place = std::make_unique<ServerGuard>(*this, server, table);
        }
        return place.get();
    });
    return {shared_from_this(), guard};
}

std::vector<CircuitView> Safeguards::circuits(TimePoint now) const {
    return lock_.with([&] {
        std::vector<CircuitView> views;
        views.reserve(registry_.size());
        registry_.for_each([&](const resilience::NamedCircuit& circuit) {
            views.push_back({.name = std::string{circuit.name()},
                             .options = circuit.options(),
                             .status = circuit.breaker().status(now)});
        });
        std::ranges::sort(views, {}, &CircuitView::name);
        return views;
    });
}

std::shared_ptr<ServerGuard> built_in_guard(const std::string& server) {
    config::Config config;
    config.servers.push_back({.name = server});
    const auto outcome = policy::read_policy_table(config, {});
    HOLDFAST_EXPECT(outcome.table.has_value());
    return std::make_shared<Safeguards>(SafeguardsOptions{}, nullptr)
        ->guard_of(server, *outcome.table);
}

}  // namespace holdfast::guard
