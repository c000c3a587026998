#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "holdfast/resilience/circuit_snapshot.hpp"
#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/detail/circuit_machine.hpp"
#include "holdfast/resilience/detail/rolling_window.hpp"
#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/result.hpp"

namespace holdfast::resilience {

/// The name and the observer of a circuit.
struct CircuitContext {
    std::string name = {};
    Observer* observer = nullptr;  ///< Must outlive the circuit; null = none.
    /// Circuits with different seeds stay open for different times.
    std::uint64_t jitter_seed = 0;
};

/// Stops calls to a downstream that keeps failing, and sends a few probes to find out when it is
/// healthy again.
///
/// An admission is a `Permit`. It settles once, with the outcome of the call; a dropped permit
/// leaves no trace. A permit belongs to the generation in which it was given and does not affect
/// later ones, so a late answer never changes a circuit that has changed since.
///
/// There is no timer: leases and windows are checked by the next operation, with the same result as
/// if timers had fired. One exception: a probe that is dropped after its lease expired, before any
/// operation noticed, counts as dropped in time, because a destructor has no clock. Allocates only
/// in the constructor, `reconfigure`, `snapshot` and `restore`.
///
/// Thread-safety: none; share a `SharedCircuitBreaker` instead.
class CircuitBreaker final {
public:
    class Permit;

    /// Requires options that pass `validated`.
    explicit CircuitBreaker(const CircuitBreakerOptions& options = {}, CircuitContext context = {});
    CircuitBreaker(const CircuitBreaker&) = delete;
    CircuitBreaker& operator=(const CircuitBreaker&) = delete;
    /// Requires that no permit is outstanding: each points to the circuit.
    ~CircuitBreaker();

    /// Admits a call, or refuses it with the exact remaining time. `lease` is the deadline of the
    /// admitted call; a probe that has not settled by then counts as failed. Without a lease, or
    /// with an expired one, a probe gets `probe_lease`.
    [[nodiscard]] Result<Permit, Refusal> try_acquire(TimePoint now,
                                                      Deadline lease = Deadline::never());

    /// Returns the refusal that `try_acquire` would return at `now`; empty if it would admit.
    /// Changes nothing.
    [[nodiscard]] std::optional<Refusal> refusal_at(TimePoint now) const;

    /// Sets an operator's mode. Earlier permits no longer count.
    void set_mode(CircuitMode mode, TimePoint now);

    /// Closes the circuit and clears its counts; the mode stays.
    void reset(TimePoint now);

    /// Changes the options and keeps state, counts and permits. A current open period may end
    /// sooner but never later. Requires options that pass `validated`.
    void reconfigure(const CircuitBreakerOptions& options, TimePoint now);

    [[nodiscard]] CircuitSnapshot snapshot(TimePoint now) const;

    /// Restores a saved state. Rejects an impossible snapshot without changes; limits the open time
    /// to what the options allow.
    Result<void> restore(const CircuitSnapshot& snapshot, TimePoint now);

    [[nodiscard]] CircuitStatus status(TimePoint now) const;
    /// The state at `now`. A circuit stays open until an admission makes it half-open, even if its
    /// open time has ended.
    [[nodiscard]] CircuitState state(TimePoint now) const { return ahead(now).state; }
    [[nodiscard]] CircuitMode mode() const noexcept { return mode_; }
    [[nodiscard]] const CircuitBreakerOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::string_view name() const noexcept { return context_.name; }
    [[nodiscard]] std::uint64_t permits_outstanding() const noexcept {
        return permits_outstanding_;
    }
    /// The number of openings since construction.
    [[nodiscard]] std::uint64_t opened_total() const noexcept { return opened_total_; }
    /// The last admission, refusal, settlement or restore; `TimePoint::min()` if there was none.
    [[nodiscard]] TimePoint last_used() const noexcept { return last_used_; }

private:
    static constexpr std::uint8_t kNoLease = 0xff;
    enum Column : std::uint8_t { kCalls, kFailures, kSlow };
    using Window = detail::RollingWindow<3>;
    struct Notices;
    struct Ticket {
        std::uint64_t generation;
        TimePoint acquired_at;
        detail::ProbeLease lease;
    };

    Permit grant(TimePoint now, detail::ProbeLease lease);
    Result<Permit, Refusal> try_acquire_not_closed(TimePoint now, Deadline lease);
    Result<Permit, Refusal> admit_or_refuse(TimePoint now, Deadline lease, Notices& notices);
    void settle(const Ticket& ticket, Outcome outcome, TimePoint now);
    void settle_this_generation(const Ticket& ticket, Outcome outcome, TimePoint now);
    void settle_probe(const Ticket& ticket, Outcome outcome, TimePoint now);
    void drop(const Ticket& ticket) noexcept;
    void record(const Ticket& ticket, Outcome outcome, TimePoint now);
    [[nodiscard]] std::optional<TransitionCause> failure_trip() const;
    [[nodiscard]] std::optional<TransitionCause> slow_call_trip() const;
    [[nodiscard]] bool reaches_rate(Column part, double rate) const;
    [[nodiscard]] bool is_slow(const Ticket& ticket, TimePoint now) const;
    [[nodiscard]] detail::CircuitMachine ahead(TimePoint now) const;
    void apply(const detail::CircuitMachine::Transition& transition, Notices& notices);
    void notify(const Notices& notices) const;

    const CircuitContext context_;
    CircuitBreakerOptions options_;
    CircuitMode mode_ = CircuitMode::normal;
    detail::CircuitMachine machine_;
    Window window_;
    std::uint64_t permits_outstanding_ = 0;
    std::uint64_t opened_total_ = 0;
    TimePoint last_used_ = TimePoint::min();
};

/// One admission. Move-only; destroying it unsettled frees its probe slot and counts as nothing.
///
/// Thread-safety: that of its circuit.
class [[nodiscard]] CircuitBreaker::Permit final {
public:
    Permit(Permit&& other) noexcept : circuit_(other.circuit_), ticket_(other.ticket_) {
        other.circuit_ = nullptr;
    }
    Permit& operator=(Permit&& other) noexcept {
        if (this != &other) {
            drop();
            circuit_ = other.circuit_;
            ticket_ = other.ticket_;
            other.circuit_ = nullptr;
        }
        return *this;
    }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit() { drop(); }

    /// Reports the outcome. Requires that the permit has not been settled or dropped.
    void settle(Outcome outcome, TimePoint now) {
        HOLDFAST_EXPECT(circuit_ != nullptr);
        CircuitBreaker* circuit = circuit_;
        circuit_ = nullptr;
        circuit->settle(ticket_, outcome, now);
    }

    /// Returns the permit without an outcome: the call was cancelled or never sent.
    void drop() noexcept {
        if (circuit_ != nullptr) {
            circuit_->drop(ticket_);
            circuit_ = nullptr;
        }
    }

    [[nodiscard]] bool is_pending() const noexcept { return circuit_ != nullptr; }
    /// Returns whether this admission is a probe of a half-open circuit.
    [[nodiscard]] bool is_probe() const noexcept { return ticket_.lease.slot != kNoLease; }

private:
    friend class CircuitBreaker;
    Permit(CircuitBreaker& circuit, const Ticket& ticket) noexcept
        : circuit_(&circuit), ticket_(ticket) {}

    CircuitBreaker* circuit_;
    Ticket ticket_;
};

// The code of a healthy call stays in the header so that it can be inlined.

inline CircuitBreaker::Permit CircuitBreaker::grant(TimePoint now, detail::ProbeLease lease) {
    ++permits_outstanding_;
    return Permit{*this, {.generation = machine_.generation, .acquired_at = now, .lease = lease}};
}

inline Result<CircuitBreaker::Permit, Refusal> CircuitBreaker::try_acquire(TimePoint now,
                                                                           Deadline lease) {
    last_used_ = std::max(last_used_, now);
    if (machine_.state == CircuitState::closed && mode_ == CircuitMode::normal) [[likely]] {
        return grant(now, {.slot = kNoLease});
    }
    return try_acquire_not_closed(now, lease);
}

inline void CircuitBreaker::settle(const Ticket& ticket, Outcome outcome, TimePoint now) {
    --permits_outstanding_;
    last_used_ = std::max(last_used_, now);
    // Calls admitted before the last transition do not affect the current state.
    if (ticket.generation == machine_.generation) [[likely]] {
        settle_this_generation(ticket, outcome, now);
    }
}

}  // namespace holdfast::resilience
