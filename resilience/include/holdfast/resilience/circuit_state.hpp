#pragma once

#include <string_view>

#include "holdfast/resilience/result.hpp"

namespace holdfast::resilience {

enum class CircuitState {
    closed,     ///< Calls pass and are counted.
    open,       ///< Calls are refused until the open time has passed.
    half_open,  ///< A limited number of probes passes; their outcomes decide.
};

/// An operator's override of the state, which continues to change underneath.
enum class CircuitMode {
    normal,
    metrics_only,  ///< Every call passes; outcomes are counted but do not change the state.
    forced_open,   ///< Every call is refused.
    disabled,      ///< Every call passes and nothing is counted.
};

/// The names in config, metrics and status: `closed`, `half_open`, `metrics_only` and so on.
[[nodiscard]] std::string_view name_of(CircuitState state) noexcept;
[[nodiscard]] std::string_view name_of(CircuitMode mode) noexcept;
[[nodiscard]] Result<CircuitState> circuit_state_from_name(std::string_view name);
[[nodiscard]] Result<CircuitMode> circuit_mode_from_name(std::string_view name);

}  // namespace holdfast::resilience
