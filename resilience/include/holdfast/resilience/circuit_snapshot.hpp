#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Calls in the window, without neutral outcomes.
struct WindowCounts {
    std::uint32_t calls = 0;
    std::uint32_t failures = 0;
    std::uint32_t slow = 0;

    friend bool operator==(const WindowCounts&, const WindowCounts&) = default;
};

/// The status of a circuit at one instant. Reading it changes nothing.
struct CircuitStatus {
    CircuitState state;
    CircuitMode mode;
    std::uint64_t generation;
    std::uint32_t consecutive_failures;
    WindowCounts window;
    std::uint32_t probes_in_flight;
    std::uint32_t probe_successes;
    std::uint64_t permits_outstanding;
    /// Since the current state began; `Duration::max()` if it is the initial one.
    Duration state_age;
    bool can_attempt;                     ///< Whether a call would be admitted at this instant.
    std::optional<Duration> retry_after;  ///< If not, the time to wait, if known.

    friend bool operator==(const CircuitStatus&, const CircuitStatus&) = default;
};

/// The state of a circuit as values that another process can store and restore. Times are relative
/// to the snapshot. Probes in flight are not included.
struct CircuitSnapshot {
    struct Slice {
        Duration age = Duration::zero();  ///< Of the last instant that the counts cover.
        WindowCounts counts = {};

        friend bool operator==(const Slice&, const Slice&) = default;
    };

    CircuitState state = CircuitState::closed;
    CircuitMode mode = CircuitMode::normal;
    std::uint32_t consecutive_failures = 0;
    std::uint32_t consecutive_opens = 0;
    std::uint32_t probe_successes = 0;
    std::uint32_t probe_failures = 0;
    Duration state_age = Duration::max();
    Duration open_remaining = Duration::zero();
    std::vector<Slice> window = {};  ///< Newest first.

    friend bool operator==(const CircuitSnapshot&, const CircuitSnapshot&) = default;
};

}  // namespace holdfast::resilience
