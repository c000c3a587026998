#include "policy/failure_code.hpp"

#include <array>
#include <cstddef>

namespace holdfast::policy {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 15> kTexts = {
    "TIMEOUT",         "CIRCUIT_OPEN",       "CONNECTION_LOST",
    "RETRY_EXHAUSTED", "MALFORMED_RESPONSE", "DOWNSTREAM_ERROR",
    "RATE_LIMITED",    "OVERLOADED",         "INVALID_ARGUMENTS",
    "TOOL_NOT_FOUND",  "UNAUTHORIZED",       "RESULT_TOO_LARGE",
    "SHUTTING_DOWN",   "HELD_BACK",          "STARTING"};
static_assert(kTexts[static_cast<std::size_t>(FailureCode::starting)] == "STARTING");

}  // namespace

std::string_view text_of(FailureCode code) noexcept {
    return kTexts.at(static_cast<std::size_t>(code));
}

std::span<const std::string_view> failure_code_texts() noexcept {
    return kTexts;
}

FailureCode failure_code(const ErrorClass* error_class) noexcept {
    if (error_class == nullptr) {
        return FailureCode::downstream_error;
    }
    switch (error_class->id) {
        case ErrorClassId::timeout:
            return FailureCode::timeout;
        case ErrorClassId::connection_lost:
        case ErrorClassId::connection_refused:
        case ErrorClassId::not_connected:
            return FailureCode::connection_lost;
        case ErrorClassId::malformed:
            return FailureCode::malformed_response;
        case ErrorClassId::rate_limited:
            return FailureCode::rate_limited;
        case ErrorClassId::overloaded:
            return FailureCode::overloaded;
        case ErrorClassId::unauthorized:
            return FailureCode::unauthorized;
        case ErrorClassId::too_large:
            return FailureCode::result_too_large;
        case ErrorClassId::stopping:
            return FailureCode::shutting_down;
        default:
            return FailureCode::downstream_error;
    }
}

}  // namespace holdfast::policy
