#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "guard/guard_views.hpp"
#include "guard/server_guard.hpp"
#include "holdfast/resilience/asio/slot_waiters.hpp"
#include "holdfast/resilience/notifying_lock.hpp"

namespace holdfast::guard {

struct SafeguardsOptions {
    std::uint64_t seed = 1;              ///< What jitter is drawn from.
    std::size_t max_circuits = 10'000;   ///< Of all these servers together.
    std::size_t max_tools = 100'000;     ///< Of one server, whose rules are kept at hand.
    std::size_t max_principals = 1'000;  ///< With a rate limit of their own at one server.
    resilience::Duration sweep_every = std::chrono::minutes{15};    ///< For idle circuits.
    resilience::Duration sweep_idle_after = std::chrono::hours{1};  ///< Unused for so long.
};

/// The guards of the servers that share circuits, behind one lock: one to admit a call, one to
/// settle it, none in between.
///
/// Thread-safety: from any thread.
class Safeguards final : public std::enable_shared_from_this<Safeguards> {
public:
    /// The observer must outlive it, and may be null.
    Safeguards(const SafeguardsOptions& options, resilience::Observer* observer);
    Safeguards(const Safeguards&) = delete;
    Safeguards& operator=(const Safeguards&) = delete;

    /// The guard of a server of the table's config. It keeps the safeguards alive.
    [[nodiscard]] std::shared_ptr<ServerGuard> guard_of(const std::string& server,
                                                        const policy::PolicyTable& table);

    [[nodiscard]] std::vector<CircuitView> circuits(resilience::TimePoint now) const;

private:
    friend class ServerGuard;
    friend class GuardedCall;

    const SafeguardsOptions options_;
    resilience::SlotWaiters waiters_;
    mutable resilience::NotifyingLock lock_;
    // All that follows is guarded by it.
    resilience::CircuitRegistry registry_;
    std::mt19937_64 random_;
    std::optional<resilience::TimePoint> next_sweep_;
    std::map<std::string, std::unique_ptr<ServerGuard>, std::less<>> servers_;
};

/// A guard of its own for a server without a config, with the built-in policy.
[[nodiscard]] std::shared_ptr<ServerGuard> built_in_guard(const std::string& server);

}  // namespace holdfast::guard
