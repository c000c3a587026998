#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "guard/safeguards.hpp"
#include "holdfast/resilience/observer.hpp"
#include "policy/policy_table.hpp"

namespace holdfast::runtime {

/// Makes the guards of the servers. Servers that share circuits share a lock; all others have one
/// each.
///
/// Thread-safety: none.
class ServerGuards final {
public:
    /// `observer` must outlive the guards.
    explicit ServerGuards(resilience::Observer* observer) : observer_(observer) {}

    /// A new guard; of servers that share circuits, one that knows what happened to the others.
    [[nodiscard]] std::shared_ptr<guard::ServerGuard> guard_of(const std::string& server,
                                                               const policy::PolicyTable& table,
                                                               bool shares_circuits,
                                                               std::size_t max_circuits);

private:
    resilience::Observer* const observer_;
    std::shared_ptr<guard::Safeguards> shared_;
};

}  // namespace holdfast::runtime
