#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "holdfast/resilience/time.hpp"
#include "policy/failure_code.hpp"

namespace holdfast::calls {

using policy::FailureCode;

/// The one typed object that every refused, lost or failed call becomes.
struct Failure {
    FailureCode code = FailureCode::downstream_error;
    std::string tool = {};  ///< As agents see it; empty for other methods.
    std::string server = {};
    std::string message = {};  ///< A sentence for the agent.
    bool is_retryable = false;
    std::optional<resilience::Duration> retry_after = std::nullopt;
    /// It was sent, no answer came, and it is not known to be safe: the agent should look before it
    /// repeats.
    bool may_have_side_effects = false;
    std::string words = {};         ///< What the agent reads; empty = made from the rest.
    std::string more_members = {};  ///< Of the JSON object: `"a":1,"b":2`.
};

/// The code of a fault that no policy has classified.
[[nodiscard]] FailureCode code_of(const downstream::CallFault& fault) noexcept;

/// Seconds for people and agents: whole, rounded up, so that nobody comes too early.
[[nodiscard]] std::int64_t whole_seconds(resilience::Duration duration);
/// The same for a wait: at least 1, because an agent takes 0 as an invitation to a busy loop.
[[nodiscard]] std::int64_t wait_seconds(resilience::Duration wait);

/// What an agent reads if `may_have_side_effects`.
inline constexpr std::string_view kMayHaveTakenEffect =
    "The request was sent and may have taken effect. Verify before retrying.";

/// The failure as a JSON object.
[[nodiscard]] std::string json_of(const Failure& failure);
/// The plain words: what happened, whether to try again, when.
[[nodiscard]] std::string words_of(const Failure& failure);

/// As the result of a `tools/call`; `with_structure` when the tool has no output schema.
[[nodiscard]] std::string tool_result_of(const Failure& failure, bool with_structure);
/// As the error object of any other method.
[[nodiscard]] std::string error_object_of(const Failure& failure);

}  // namespace holdfast::calls
