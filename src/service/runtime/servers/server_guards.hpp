#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "guard/safeguards.hpp"
#include "holdfast/resilience/observer.hpp"
#include "policy/policy_table.hpp"

namespace holdfast::runtime {

/// Makes the guards of the servers. Servers that share circuits share one lock; all others have
/// their own.
///
/// Thread-safety: none.
class ServerGuards final {
public:
    /// `observer` must outlive the guards.
    explicit ServerGuards(resilience::Observer* observer) : observer_(observer) {}

    /// Returns a new guard; servers that share circuits get one with shared state.
    [[nodiscard]] std::shared_ptr<guard::ServerGuard> guard_of(const std::string& server,
                                                               const policy::PolicyTable& table,
                                                               bool shares_circuits,
                                                               std::size_t max_circuits);

private:
    resilience::Observer* const observer_;
    std::shared_ptr<guard::Safeguards> shared_;
};

}  // namespace holdfast::runtime
