#pragma once

#include <optional>
#include <string_view>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// What an answer says about the health of the downstream.
enum class Outcome {
    success,
    failure,
    /// Alive, but no evidence either way (a 4xx, a rate limit): it neither increases nor clears a
    /// failure count. For a half-open circuit it is a success, because the downstream answered.
    neutral,
};

enum class RefusalReason {
    circuit_open,
    circuit_probing,      ///< Half-open, and every probe slot is taken.
    circuit_forced_open,  ///< By an operator, for an unknown time.
    rate_limited,
    queue_full,
    queue_too_slow,       ///< The calls before it are expected to take longer than its deadline.
    queue_wait_exceeded,  ///< No slot became free within the queue's maximum wait.
    key_limit_reached,    ///< A bounded table of names or keys is full.
};

/// A refused admission, with the time after which another try makes sense, if known.
struct Refusal {
    RefusalReason reason = RefusalReason::circuit_open;
    std::optional<Duration> retry_after = std::nullopt;

    friend bool operator==(const Refusal&, const Refusal&) = default;
};

[[nodiscard]] std::string_view name_of(Outcome outcome) noexcept;
[[nodiscard]] std::string_view name_of(RefusalReason reason) noexcept;

}  // namespace holdfast::resilience
