#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::detail {

/// Identifies one probe. The serial distinguishes it from a later probe in the same slot.
struct ProbeLease {
    std::uint32_t serial = 0;
    std::uint8_t slot = 0;
};

/// The probes in flight of a half-open circuit, each with the instant at which its lease ends.
///
/// Thread-safety: a value.
class ProbeLeases {
public:
    [[nodiscard]] std::uint32_t count() const noexcept {
        return static_cast<std::uint32_t>(std::popcount(taken_));
    }

    /// Requires a free slot.
    ProbeLease take(TimePoint until) noexcept {
        const auto slot = static_cast<std::uint8_t>(std::countr_one(taken_));
        taken_ = static_cast<Slots>(taken_ | slot_bit(slot));
        leases_[slot] = {.until = until, .serial = ++last_serial_};
        return {.serial = last_serial_, .slot = slot};
    }

    /// Returns false if the lease is no longer valid.
    bool release(ProbeLease lease) noexcept {
        if ((taken_ & slot_bit(lease.slot)) == 0 || leases_[lease.slot].serial != lease.serial) {
            return false;
        }
        taken_ = static_cast<Slots>(taken_ & ~slot_bit(lease.slot));
        return true;
    }

    /// Returns the instant at which the next lease ends, or nothing if no probe is in flight.
    [[nodiscard]] std::optional<TimePoint> earliest_end() const noexcept {
        const auto slot = earliest_slot();
        return slot ? std::optional{leases_[*slot].until} : std::nullopt;
    }

    /// Frees the lease that ended first, if one ended by `now`, and returns that instant.
    std::optional<TimePoint> expire_one(TimePoint now) noexcept {
        const auto slot = earliest_slot();
        if (!slot || leases_[*slot].until > now) {
            return std::nullopt;
        }
        taken_ = static_cast<Slots>(taken_ & ~slot_bit(*slot));
        return leases_[*slot].until;
    }

    void clear() noexcept { taken_ = 0; }

private:
    using Slots = std::uint16_t;
    static_assert(CircuitBreakerOptions::kMaxProbes <= 16, "one bit per slot");

    struct Entry {
        TimePoint until;
        std::uint32_t serial = 0;
    };

    static constexpr Slots slot_bit(std::uint8_t slot) noexcept {
        return static_cast<Slots>(1U << slot);
    }

    [[nodiscard]] std::optional<std::uint8_t> earliest_slot() const noexcept {
        std::optional<std::uint8_t> earliest;
        for (std::uint8_t slot = 0; slot < CircuitBreakerOptions::kMaxProbes; ++slot) {
            const bool taken = (taken_ & slot_bit(slot)) != 0;
            if (taken && (!earliest || leases_[slot].until < leases_[*earliest].until)) {
                earliest = slot;
            }
        }
        return earliest;
    }

    std::array<Entry, CircuitBreakerOptions::kMaxProbes> leases_{};
    std::uint32_t last_serial_ = 0;
    Slots taken_ = 0;
};

}  // namespace holdfast::resilience::detail
