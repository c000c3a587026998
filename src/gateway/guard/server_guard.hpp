#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/call_rules.hpp"
#include "guard/guard_views.hpp"
#include "holdfast/resilience/bulkhead.hpp"
#include "holdfast/resilience/rate_limiter.hpp"
#include "holdfast/resilience/retry_budget.hpp"
#include "policy/classify.hpp"

namespace holdfast::guard {

class Safeguards;

/// The circuits, queue, retry budget and rate limits of one server.
///
/// Thread-safety: from any thread.
class ServerGuard final {
public:
    ServerGuard(Safeguards& owner, std::string name, const policy::PolicyTable& table);
    ServerGuard(const ServerGuard&) = delete;
    ServerGuard& operator=(const ServerGuard&) = delete;

    /// The rules for a tool, by its own name at the server.
    [[nodiscard]] std::shared_ptr<const CallRules> rules_for_tool(std::string_view tool,
                                                                  resilience::TimePoint now);
    /// Changes whenever rules that were returned before may no longer hold. Takes no lock.
    [[nodiscard]] std::uint64_t edition() const noexcept {
        return edition_.load(std::memory_order_acquire);
    }
    /// For requests other than tool calls.
    [[nodiscard]] std::shared_ptr<const CallRules> rules(resilience::TimePoint now);
    /// The same rules with what a single call asks for.
    [[nodiscard]] static std::shared_ptr<const CallRules> rules_for_call(
        const CallRules& rules, const policy::CallOverrides& wishes);

    /// The same rules for a request that only checks whether the server is healthy again.
    [[nodiscard]] static std::shared_ptr<const CallRules> rules_for_probe(const CallRules& rules);

    /// Applies this table, which must know the server, to calls that arrive from now on. Calls in
    /// flight end by the rules they started with. Circuits, the queue, the retry budget and the
    /// rate limits keep their state and take the new figures.
    void reconfigure(const policy::PolicyTable& table, resilience::TimePoint now);

    /// The rules for a tool, with the source of each value.
    [[nodiscard]] std::vector<policy::ExplainedValue> explained(std::string_view tool) const;
    /// Whether a call under these rules would be refused by its circuit now.
    [[nodiscard]] bool is_open(const CallRules& rules, resilience::TimePoint now);
    /// The same for a tool of the server. Creates no circuit: one that nobody has used is closed.
    [[nodiscard]] bool is_tool_open(std::string_view tool, resilience::TimePoint now) const;
    /// Whether the next call under these rules would be a probe.
    [[nodiscard]] bool awaits_probe(const CallRules& rules, resilience::TimePoint now);
    [[nodiscard]] QueueView queue() const;
    [[nodiscard]] ServerHealth health() const;

    /// The circuits that its calls have used, and the server's own even if they have not, sorted by
    /// name. Changes nothing.
    [[nodiscard]] std::vector<CircuitView> circuits(resilience::TimePoint now) const;
    /// Returns whether it has a circuit of that name.
    bool command(std::string_view circuit, CircuitCommand command, resilience::TimePoint now);
    /// Whether circuits of the same name are the same.
    [[nodiscard]] bool shares_circuits_with(const ServerGuard& other) const noexcept {
        return &owner_ == &other.owner_;
    }
    /// Drops the state of circuits that nobody has used for a long time, if a sweep is due. Returns
    /// how many. Covers all servers that share circuits with this one.
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
    std::atomic<std::uint64_t> edition_{0};  // of the table; also read without the lock
    std::optional<policy::ResolvedCircuit> own_circuit_;
    ServerHealth health_;
    resilience::Bulkhead bulkhead_;
    std::optional<resilience::RetryBudget> budget_;  // once there is one, calls point to it
    std::optional<resilience::RateLimiterOptions> rate_;
    std::map<std::string, resilience::RateLimiter, std::less<>> limiters_;  // by principal
    std::map<std::string, CircuitUse, std::less<>> circuits_;               // by name; none leaves
    // Many tools have few policies: tools with equal rules share them.
    std::vector<std::shared_ptr<const CallRules>> distinct_;
    std::map<std::string, std::shared_ptr<const CallRules>, std::less<>> by_tool_;
    std::shared_ptr<const CallRules> of_server_;
};

}  // namespace holdfast::guard
