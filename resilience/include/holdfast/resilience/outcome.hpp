#pragma once

#include <optional>
#include <string_view>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// What an answer says about the health of the one who gave it.
enum class Outcome {
    success,
    failure,
    /// Alive, but no evidence either way (a 4xx, a rate limit): it neither adds to a failure count
    /// nor clears it. To a half-open circuit it is a success, since somebody answered.
    neutral,
};

enum class RefusalReason {
    circuit_open,
    circuit_probing,      ///< Half-open, and every probe slot is taken.
    circuit_forced_open,  ///< By an operator; nothing says when it ends.
    rate_limited,
    queue_full,
    queue_wait_exceeded,  ///< No slot came free within the queue's longest wait.
    key_limit_reached,    ///< A bounded table of names or keys is full.
};

/// An admission that was not given. Carries the real time after which asking again makes sense,
/// where one is known.
struct Refusal {
    RefusalReason reason = RefusalReason::circuit_open;
    std::optional<Duration> retry_after = std::nullopt;

    friend bool operator==(const Refusal&, const Refusal&) = default;
};

[[nodiscard]] std::string_view name_of(Outcome outcome) noexcept;
[[nodiscard]] std::string_view name_of(RefusalReason reason) noexcept;

}  // namespace holdfast::resilience
