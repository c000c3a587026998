#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "guard/call_rules.hpp"
#include "guard/guard_views.hpp"
#include "holdfast/resilience/asio/slot_waiters.hpp"
#include "holdfast/resilience/bulkhead.hpp"
#include "holdfast/resilience/notifying_lock.hpp"
#include "holdfast/resilience/rate_limiter.hpp"
#include "holdfast/resilience/retry_budget.hpp"
#include "policy/classify.hpp"

namespace holdfast::guard {

class Safeguards;

struct SafeguardsOptions {
    std::uint64_t seed = 1;              ///< What jitter is drawn from.
    std::size_t max_circuits = 10'000;   ///< Of all these servers together.
    std::size_t max_tools = 100'000;     ///< Of one server, whose rules are kept at hand.
    std::size_t max_principals = 1'000;  ///< With a rate limit of their own at one server.
    resilience::Duration sweep_every = std::chrono::minutes{15};    ///< For idle circuits.
    resilience::Duration sweep_idle_after = std::chrono::hours{1};  ///< Unused for so long.
};

/// The circuits, queue, retry budget and rate limits of one server.
///
/// Thread-safety: from any thread.
class ServerGuard final {
public:
    ServerGuard(Safeguards& owner, std::string name, const policy::PolicyTable& table);
    ServerGuard(const ServerGuard&) = delete;
    ServerGuard& operator=(const ServerGuard&) = delete;

    /// For a tool by the name that its server gives it.
    [[nodiscard]] std::shared_ptr<const CallRules> rules_for_tool(std::string_view tool,
                                                                  resilience::TimePoint now);
    /// For what the server is asked beside its tools.
    [[nodiscard]] std::shared_ptr<const CallRules> rules(resilience::TimePoint now);
    /// The same rules for a single call that asks for something of its own.
    [[nodiscard]] static std::shared_ptr<const CallRules> rules_for_call(
        const CallRules& rules, const policy::CallOverrides& wishes);

    /// The same rules for a request that only finds out whether the server is well again.
    [[nodiscard]] static std::shared_ptr<const CallRules> rules_for_probe(const CallRules& rules);

    /// Calls that come from now on are treated as this table says, which must know the server too.
    /// What is under way ends by the rules that it began with. Circuits keep their state, and so do
    /// the queue, the retry budget and the rate limits; they take the new figures.
    void reconfigure(const policy::PolicyTable& table, resilience::TimePoint now);

    /// What the rules for a tool say and where each value comes from.
    [[nodiscard]] std::vector<policy::ExplainedValue> explained(std::string_view tool) const;
    /// Whether a call under these rules would be refused by its circuit now.
    [[nodiscard]] bool is_open(const CallRules& rules, resilience::TimePoint now);
    /// The same for a tool of the server. Only looks: a circuit that nobody has used is closed.
    [[nodiscard]] bool is_tool_open(std::string_view tool, resilience::TimePoint now) const;
    /// Whether the next call under these rules would be a probe.
    [[nodiscard]] bool awaits_probe(const CallRules& rules, resilience::TimePoint now);
    [[nodiscard]] QueueView queue() const;
    [[nodiscard]] ServerHealth health() const;

    /// The circuits that its calls have used, and the one of its own even if they have not, sorted
    /// by name. Changes nothing.
    [[nodiscard]] std::vector<CircuitView> circuits(resilience::TimePoint now) const;
    /// Returns whether it has a circuit of that name.
    bool command(std::string_view circuit, CircuitCommand command, resilience::TimePoint now);
    /// Whether circuits of the same name are the same.
    [[nodiscard]] bool shares_circuits_with(const ServerGuard& other) const noexcept {
        return &owner_ == &other.owner_;
    }
    /// Drops the state of circuits that nobody has used for long, if it is time for that, and says
    /// how many they were. Concerns all servers that share circuits with this one.
    std::size_t sweep_if_due(resilience::TimePoint now);
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    friend class GuardedCall;

    [[nodiscard]] std::shared_ptr<const CallRules> interned(policy::ResolvedTool resolved,
                                                            resilience::TimePoint now);
    [[nodiscard]] CircuitUse* circuit_of(const policy::ResolvedCircuit& circuit,
                                         resilience::TimePoint now);
    void note(const policy::Classified& attempt, resilience::TimePoint now);
    [[nodiscard]] resilience::RateLimiter* limiter_of(std::string_view principal,
                                                      resilience::TimePoint now);
    [[nodiscard]] resilience::PipelineParts parts_for(const CallRules& rules,
                                                      std::string_view principal,
                                                      resilience::TimePoint now);

    Safeguards& owner_;
    const std::string name_;
    // All that follows is guarded by the lock of the owner.
    policy::PolicyTable policies_;
    std::uint64_t edition_ = 0;  // of the table
    std::optional<policy::ResolvedCircuit> own_circuit_;
    ServerHealth health_;
    resilience::Bulkhead bulkhead_;
    std::optional<resilience::RetryBudget> budget_;  // once there is one, calls point to it
    std::optional<resilience::RateLimiterOptions> rate_;
    std::map<std::string, resilience::RateLimiter, std::less<>> limiters_;  // by principal
    std::map<std::string, CircuitUse, std::less<>> circuits_;               // by name; none leaves
    // Few policies have many tools: the tools share the rules that are alike.
    std::vector<std::shared_ptr<const CallRules>> distinct_;
    std::map<std::string, std::shared_ptr<const CallRules>, std::less<>> by_tool_;
    std::shared_ptr<const CallRules> of_server_;
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
