#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "holdfast/resilience/detail/string_hash.hpp"
#include "holdfast/resilience/result.hpp"

namespace holdfast::resilience {

struct CircuitRegistryOptions {
    CircuitBreakerOptions defaults = {};  ///< For circuits without their own options.
    std::size_t max_circuits = 10'000;
    Duration idle_after = std::chrono::hours{1};
    std::uint64_t jitter_seed = 0;

    friend bool operator==(const CircuitRegistryOptions&, const CircuitRegistryOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<CircuitRegistryOptions> validated(const CircuitRegistryOptions& options);

/// A circuit of a registry. While a handle exists, a sweep resets the circuit instead of removing
/// it, so a handle and its breaker stay valid.
///
/// Thread-safety: that of its registry.
class NamedCircuit final {
public:
    NamedCircuit(std::string_view name, const CircuitBreakerOptions& options, Observer* observer,
                 std::uint64_t jitter_seed);

    [[nodiscard]] CircuitBreaker& breaker() noexcept { return breaker_; }
    [[nodiscard]] const CircuitBreaker& breaker() const noexcept { return breaker_; }
    [[nodiscard]] std::string_view name() const noexcept { return breaker_.name(); }
    [[nodiscard]] const CircuitBreakerOptions& options() const noexcept {
        return breaker_.options();
    }

private:
    friend class CircuitRegistry;
    [[nodiscard]] bool is_sweepable(TimePoint now, Duration idle_after) const;
    void sweep(TimePoint now);

    CircuitBreaker breaker_;
    TimePoint swept_after_use_ = TimePoint::min();  // the last use that a sweep has seen
};

/// A handle: look a circuit up once, then use it directly. Shared between the registry and the
/// holders; must not be used after the registry's observer is destroyed.
using CircuitHandle = std::shared_ptr<NamedCircuit>;

/// The circuits of one owner, by name, up to a limit. A sweep removes circuits that are equivalent
/// to new ones: closed, in normal mode, idle and without an outstanding permit.
///
/// Thread-safety: none. Circuits and registry belong to one owner: share them behind one lock.
class CircuitRegistry final {
public:
    /// Requires options that pass `validated`. The observer must outlive all handles.
    explicit CircuitRegistry(const CircuitRegistryOptions& options = {},
                             Observer* observer = nullptr);

    /// Sets the options of a name, effective immediately and after any sweep. The number of names
    /// is limited like that of circuits. Rejects options that do not pass `validated`, without
    /// changes.
    Result<void> configure(std::string_view name, const CircuitBreakerOptions& options,
                           TimePoint now);

    /// Returns the circuit of that name; creates it if needed. Fails if the registry is full of
    /// circuits that may not be removed.
    [[nodiscard]] Result<CircuitHandle> get(std::string_view name, TimePoint now);

    /// Returns the circuit of that name, or null. Never creates one and never allocates. Valid
    /// until the next sweep; use `get` to keep it.
    [[nodiscard]] NamedCircuit* find(std::string_view name) const;

    /// Removes or resets idle circuits and returns their number. Call it periodically.
    std::size_t sweep(TimePoint now);

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [name, circuit] : circuits_) {
            visit(*circuit);
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return circuits_.size(); }
    /// The number of circuits swept so far.
    [[nodiscard]] std::uint64_t swept_total() const noexcept { return swept_total_; }

private:
    template <class T>
    using ByName = std::unordered_map<std::string, T, detail::StringHash, std::equal_to<>>;

    [[nodiscard]] const CircuitBreakerOptions& options_for(std::string_view name) const;

    const CircuitRegistryOptions options_;
    Observer* const observer_;
    ByName<CircuitBreakerOptions> configured_;
    ByName<CircuitHandle> circuits_;
    std::uint64_t swept_total_ = 0;
    TimePoint next_sweep_when_full_ = TimePoint::min();
};

}  // namespace holdfast::resilience
