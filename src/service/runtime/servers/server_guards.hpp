#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "guard/safeguards.hpp"
#include "holdfast/resilience/observer.hpp"
#include "policy/policy_table.hpp"

namespace holdfast::runtime {

/// Returns a seed for jitter. Gateways must not share seeds: a fleet would retry in step.
using MakeSeed = std::function<std::uint64_t()>;

/// Makes the guards of the servers. Servers that share circuits share one lock; all others have
/// their own.
///
/// Thread-safety: none.
class ServerGuards final {
public:
    /// `observer` must outlive the guards. Each guard gets a seed for its jitter.
    ServerGuards(resilience::Observer* observer, MakeSeed make_seed)
        : observer_(observer), make_seed_(std::move(make_seed)) {}

    /// Returns a new guard; servers that share circuits get one with shared state.
    [[nodiscard]] std::shared_ptr<guard::ServerGuard> guard_of(const std::string& server,
                                                               const policy::PolicyTable& table,
                                                               bool shares_circuits,
                                                               std::size_t max_circuits);

private:
    resilience::Observer* const observer_;
    const MakeSeed make_seed_;
    std::shared_ptr<guard::Safeguards> shared_;
};

}  // namespace holdfast::runtime
