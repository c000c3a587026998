#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/resilience/bulkhead.hpp"
#include "holdfast/resilience/circuit_breaker.hpp"
#include "holdfast/resilience/time.hpp"
#include "policy/error_class.hpp"

namespace holdfast::guard {

/// A circuit as the status shows it.
struct CircuitView {
    std::string name = {};
    resilience::CircuitBreakerOptions options = {};
    resilience::CircuitStatus status = {};
    std::uint64_t opened = 0;  ///< How often it has opened.
};

/// What an operator can do to a circuit.
enum class CircuitCommand : std::uint8_t {
    reset,  ///< Back to normal: closed, with nothing counted.
    force_open,
    disable,
    metrics_only,
    normal,  ///< Only the mode; the state stays as it is.
};

/// The health of a server, judged by its attempts.
struct ServerHealth {
    /// The class of the failure that its last attempt counted as; nothing = that went well.
    std::optional<policy::ErrorClassId> failing_with = std::nullopt;
    std::string class_name = {};
    resilience::TimePoint since = {};
};

/// The queue of a server as the status shows it.
struct QueueView {
    std::uint32_t in_flight = 0;
    std::uint32_t queued = 0;
    resilience::BulkheadOptions options = {};
};

}  // namespace holdfast::guard
