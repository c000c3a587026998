#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Calls of the window; neutral outcomes are not among them.
struct WindowCounts {
    std::uint32_t calls = 0;
    std::uint32_t failures = 0;
    std::uint32_t slow = 0;

    friend bool operator==(const WindowCounts&, const WindowCounts&) = default;
};

/// What there is to see of a circuit at one instant. Taking it changes nothing.
struct CircuitStatus {
    CircuitState state;
    CircuitMode mode;
    std::uint64_t generation;
    std::uint32_t consecutive_failures;
    WindowCounts window;
    std::uint32_t probes_in_flight;
    std::uint32_t probe_successes;
    std::uint64_t permits_outstanding;
    Duration state_age;  ///< Since the present state began; `Duration::max()` if from the start.
    bool can_attempt;    ///< Whether an admission at this instant would be given.
    std::optional<Duration> retry_after;  ///< When not, the time to wait, where one is known.

    friend bool operator==(const CircuitStatus&, const CircuitStatus&) = default;
};

/// A circuit's state as values that can be stored and brought back by another process: times are
/// relative to the moment of the snapshot. Probes in flight are not part of it.
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
