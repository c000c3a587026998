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

/// Who a circuit is and whom it tells.
struct CircuitContext {
    std::string name = {};
    Observer* observer = nullptr;   ///< Must outlive the circuit; null = nobody.
    std::uint64_t jitter_seed = 0;  ///< Two circuits with different seeds open for different times.
};

/// Stops calling what keeps failing, and finds out with a few probes when it is well again.
///
/// An admission is a `Permit`. It settles once, with what the answer said; dropped, it leaves no
/// trace. It is stamped with the generation in which it was given, and says nothing about any
/// later one, so a late answer never moves a circuit that has changed since.
///
/// There is no timer: leases and windows are looked at when something happens, and the result is
/// the same as if timers had fired. The one exception: a probe that is dropped after its lease ran
/// out, before any operation noticed, is taken as dropped in time, since a destructor has no clock.
/// Nothing is allocated after construction, except by `reconfigure`, `snapshot` and `restore`.
///
/// Thread-safety: none; `SharedCircuitBreaker` is the one to share.
class CircuitBreaker final {
public:
    class Permit;

    /// Requires options that pass `validated`.
    explicit CircuitBreaker(const CircuitBreakerOptions& options = {}, CircuitContext context = {});
    CircuitBreaker(const CircuitBreaker&) = delete;
    CircuitBreaker& operator=(const CircuitBreaker&) = delete;
    /// Requires that no permit is outstanding: each points here.
    ~CircuitBreaker();

    /// Admits a call, or refuses with the exact time that is left. `lease` is the deadline of what
    /// the permit covers; a probe that has not settled by then counts as failed. Without one, or
    /// with one that has passed, a probe gets `probe_lease`.
    [[nodiscard]] Result<Permit, Refusal> try_acquire(TimePoint now,
                                                      Deadline lease = Deadline::never());

    /// What `try_acquire` would refuse with at `now`; empty if it would admit. Changes nothing.
    [[nodiscard]] std::optional<Refusal> refusal_at(TimePoint now) const;

    /// An operator's switch. Permits given before say nothing any more.
    void set_mode(CircuitMode mode, TimePoint now);

    /// Back to closed with nothing counted, in the mode that is set.
    void reset(TimePoint now);

    /// Takes new figures without losing state, counts or permits. An open period under way may end
    /// sooner by it but never later. Requires options that pass `validated`.
    void reconfigure(const CircuitBreakerOptions& options, TimePoint now);

    [[nodiscard]] CircuitSnapshot snapshot(TimePoint now) const;

    /// Continues from a saved state. A snapshot that no circuit can have is refused and changes
    /// nothing; an open time beyond what the options allow is cut.
    Result<void> restore(const CircuitSnapshot& snapshot, TimePoint now);

    [[nodiscard]] CircuitStatus status(TimePoint now) const;
    /// As of `now`: open until an admission makes it half-open, even when the time is over.
    [[nodiscard]] CircuitState state(TimePoint now) const { return ahead(now).state; }
    [[nodiscard]] CircuitMode mode() const noexcept { return mode_; }
    [[nodiscard]] const CircuitBreakerOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::string_view name() const noexcept { return context_.name; }
    [[nodiscard]] std::uint64_t permits_outstanding() const noexcept {
        return permits_outstanding_;
    }
    /// How often it has opened since it was made.
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

/// One admission. Move-only; destroying it unsettled frees what it held and counts as nothing.
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

    /// Says what came of it. Requires that it has not been settled or dropped.
    void settle(Outcome outcome, TimePoint now) {
        HOLDFAST_EXPECT(circuit_ != nullptr);
        CircuitBreaker* circuit = circuit_;
        circuit_ = nullptr;
        circuit->settle(ticket_, outcome, now);
    }

    /// Gives it back without a word about the downstream: the call was cancelled or never sent.
    void drop() noexcept {
        if (circuit_ != nullptr) {
            circuit_->drop(ticket_);
            circuit_ = nullptr;
        }
    }

    [[nodiscard]] bool is_pending() const noexcept { return circuit_ != nullptr; }
    /// Whether this admission is one of the probes of a half-open circuit.
    [[nodiscard]] bool is_probe() const noexcept { return ticket_.lease.slot != kNoLease; }

private:
    friend class CircuitBreaker;
    Permit(CircuitBreaker& circuit, const Ticket& ticket) noexcept
        : circuit_(&circuit), ticket_(ticket) {}

    CircuitBreaker* circuit_;
    Ticket ticket_;
};

// The path of a healthy call stays in the header, so that it costs no more than it must.

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
    // Calls admitted before the last transition say nothing about the state we are in now.
    if (ticket.generation == machine_.generation) [[likely]] {
        settle_this_generation(ticket, outcome, now);
    }
}

}  // namespace holdfast::resilience
