#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "holdfast/resilience/detail/outbox.hpp"

namespace holdfast::resilience {

/// A circuit breaker for several threads: a lock, held for nanoseconds, guards the core. A permit
/// settles through the same lock and keeps the circuit alive. The observer is called after
/// unlocking.
///
/// Thread-safety: every operation may be called from any thread.
class SharedCircuitBreaker final : public std::enable_shared_from_this<SharedCircuitBreaker> {
    struct Private {};

public:
    class Permit;

    /// Requires options that pass `validated`.
    [[nodiscard]] static std::shared_ptr<SharedCircuitBreaker> make(
        const CircuitBreakerOptions& options = {}, CircuitContext context = {}) {
        return std::make_shared<SharedCircuitBreaker>(Private{}, options, std::move(context));
    }
    /// Called by `make`: permits need a shared owner.
    SharedCircuitBreaker(Private, const CircuitBreakerOptions& options, CircuitContext context)
        : observer_(context.observer), core_(options, observed(std::move(context))) {}

    [[nodiscard]] Result<Permit, Refusal> try_acquire(TimePoint now,
                                                      Deadline lease = Deadline::never());

    /// Runs `use` on the core under the lock, for all other operations of the core. `use` must not
    /// keep a permit.
    template <class Use>
    auto with(Use&& use) {
        static_assert(!std::is_reference_v<std::invoke_result_t<Use, CircuitBreaker&>>,
                      "a reference would escape the lock");
        detail::Notices notices{observer_, nullptr};
        const std::scoped_lock lock{mutex_};
        outbox_.collect_into(notices);
        return std::forward<Use>(use)(core_);
    }

    [[nodiscard]] CircuitStatus status(TimePoint now) const {
        const std::scoped_lock lock{mutex_};
        return core_.status(now);
    }

private:
    [[nodiscard]] CircuitContext observed(CircuitContext context) {
        context.observer = context.observer != nullptr ? &outbox_ : nullptr;
        return context;
    }

    Observer* const observer_;
    mutable std::mutex mutex_;
    detail::Outbox outbox_;  // guarded by mutex_
    CircuitBreaker core_;    // guarded by mutex_
};

/// One admission of a shared circuit. Move-only; destroying it unsettled counts as nothing.
///
/// Thread-safety: one thread at a time, any thread.
class [[nodiscard]] SharedCircuitBreaker::Permit final {
public:
    Permit(Permit&&) noexcept = default;
    Permit& operator=(Permit&& other) noexcept {
        if (this != &other) {
            drop();
            circuit_ = std::move(other.circuit_);
            permit_ = std::move(other.permit_);
        }
        return *this;
    }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit() { drop(); }

    /// Reports the outcome. Requires that the permit has not been settled or dropped.
    void settle(Outcome outcome, TimePoint now) {
        HOLDFAST_EXPECT(circuit_ != nullptr);
        const auto circuit = std::move(circuit_);
        circuit->with([&](CircuitBreaker&) { permit_->settle(outcome, now); });
    }

    void drop() {
        if (const auto circuit = std::move(circuit_)) {
            circuit->with([&](CircuitBreaker&) { permit_->drop(); });
        }
    }

    [[nodiscard]] bool is_probe() const noexcept { return permit_->is_probe(); }

private:
    friend class SharedCircuitBreaker;
    Permit(std::shared_ptr<SharedCircuitBreaker> circuit, CircuitBreaker::Permit permit) noexcept
        : circuit_(std::move(circuit)), permit_(std::move(permit)) {}

    std::shared_ptr<SharedCircuitBreaker> circuit_;  // shared with the users of the circuit
    std::optional<CircuitBreaker::Permit> permit_;
};

inline Result<SharedCircuitBreaker::Permit, Refusal> SharedCircuitBreaker::try_acquire(
    TimePoint now, Deadline lease) {
    auto permit = with([&](CircuitBreaker& core) { return core.try_acquire(now, lease); });
    if (!permit) {
        return permit.error();
    }
    return Permit{shared_from_this(), std::move(*permit)};
}

}  // namespace holdfast::resilience
