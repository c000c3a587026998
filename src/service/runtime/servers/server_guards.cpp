#include "runtime/servers/server_guards.hpp"

namespace holdfast::runtime {

std::shared_ptr<guard::ServerGuard> ServerGuards::guard_of(const std::string& server,
                                                           const policy::PolicyTable& table,
                                                           bool shares_circuits,
                                                           std::size_t max_circuits) {
    std::shared_ptr<guard::Safeguards> safeguards = shares_circuits ? shared_ : nullptr;
    if (!safeguards) {
        const policy::SweepOptions& sweep = table.sweep();
        safeguards = std::make_shared<guard::Safeguards>(
            guard::SafeguardsOptions{.seed = make_seed_(),
                                     .max_circuits = max_circuits,
                                     .sweep_every = sweep.every,
                                     .sweep_idle_after = sweep.idle_after},
            observer_);
    }
    shared_ = shares_circuits ? safeguards : nullptr;
    return safeguards->guard_of(server, table);
}

}  // namespace holdfast::runtime
