#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/error_class.hpp"

namespace holdfast::policy {

/// The failure codes: every call that is refused, lost or failed ends with one.
enum class FailureCode : std::uint8_t {
    timeout,
    circuit_open,
    connection_lost,
    retry_exhausted,
    malformed_response,
    downstream_error,
    rate_limited,
    overloaded,
    invalid_arguments,
    tool_not_found,
    unauthorized,
    result_too_large,
    shutting_down,
    held_back,  ///< The same call has failed repeatedly in the same way, so it was not sent.
    starting,   ///< The server has not finished its first start.
};

/// The text for agents, configs and records: "TIMEOUT".
[[nodiscard]] std::string_view text_of(FailureCode code) noexcept;

/// The texts of all codes.
[[nodiscard]] std::span<const std::string_view> failure_code_texts() noexcept;

/// Returns the code of a call that failed with this class; null = without a class.
[[nodiscard]] FailureCode failure_code(const ErrorClass* error_class) noexcept;

}  // namespace holdfast::policy
