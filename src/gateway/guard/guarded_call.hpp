#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "downstream/answer.hpp"
#include "guard/server_guard.hpp"
#include "net/loop.hpp"

namespace holdfast::guard {

/// What the guards need to know about a call. The texts must outlive the `GuardedCall`.
struct CallFacts {
    std::string_view name = {};  ///< For the log.
    std::string_view principal = {};
    resilience::Deadline deadline = resilience::Deadline::never();
    bool is_safe_to_repeat = false;
};

/// One pass of a call through the safeguards of its server. Destroying it at any point gives up the
/// call: its slot and permit are returned, and the circuit counts nothing. Only the waits are
/// coroutines.
///
/// Thread-safety: none; belongs to the loop of the call.
class GuardedCall final {
public:
    GuardedCall(std::shared_ptr<ServerGuard> guard, std::shared_ptr<const CallRules> rules,
                const CallFacts& facts, const net::OwningLoop& loop);
    GuardedCall(const GuardedCall&) = delete;
    GuardedCall& operator=(const GuardedCall&) = delete;
    ~GuardedCall();

    /// Admits the call. Must be called first, once. Takes the lock once.
    [[nodiscard]] resilience::PipelineStep start();
    /// Settles the attempt that was started. Takes the lock once.
    [[nodiscard]] resilience::PipelineStep on_attempt_end(const downstream::CallResult& result);
    /// Waits as the step asks, and returns the next one; nothing if the coroutine is cancelled.
    [[nodiscard]] boost::asio::awaitable<std::optional<resilience::PipelineStep>> wait(
        resilience::WaitForSlot step);
    [[nodiscard]] boost::asio::awaitable<std::optional<resilience::PipelineStep>> wait(
        resilience::WaitBeforeRetry step);

    /// Settles the attempt in flight as a success and lets it continue without the guards: its
    /// agent is being asked, which can take minutes and shows that the server is healthy. Does
    /// nothing if no attempt is in flight.
    void leave();

    [[nodiscard]] resilience::Deadline deadline() const noexcept { return deadline_; }
    [[nodiscard]] std::uint32_t attempts() const noexcept { return attempts_; }
    [[nodiscard]] const CallRules& rules() const noexcept { return *rules_; }
    /// The state of the circuit when the call arrived, and after its last step; nothing = no
    /// circuit.
    [[nodiscard]] std::optional<resilience::CircuitState> circuit_before() const noexcept {
        return circuit_before_;
    }
    [[nodiscard]] std::optional<resilience::CircuitState> circuit_after() const noexcept {
        return circuit_after_;
    }
    /// Of the last attempt that failed; null = none did. Belongs to the rules.
    [[nodiscard]] const policy::ErrorClass* error_class() const noexcept { return error_class_; }

private:
    [[nodiscard]] resilience::PipelineStep resume();
    [[nodiscard]] resilience::PipelineStep noted(resilience::PipelineStep step,
                                                 resilience::TimePoint now);
    [[nodiscard]] std::optional<resilience::CircuitState> circuit_state(
        resilience::TimePoint now) const;

    const std::shared_ptr<ServerGuard> guard_;  // shared with the server's other calls
    const std::shared_ptr<const CallRules> rules_;
    const CallFacts facts_;
    const net::OwningLoop loop_;
    const resilience::WaiterId waiter_;
    // From its start to its verdict; guarded by the lock of the safeguards.
    std::optional<resilience::PipelineCall> call_;
    resilience::Deadline deadline_ = resilience::Deadline::never();
    std::uint32_t attempts_ = 0;
    const policy::ErrorClass* error_class_ = nullptr;
    std::optional<resilience::CircuitState> circuit_before_;
    std::optional<resilience::CircuitState> circuit_after_;
    bool is_in_attempt_ = false;
    bool has_left_ = false;
};

}  // namespace holdfast::guard
