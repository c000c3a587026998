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

/// Why a call was refused, lost or failed, as agents receive it.
struct Failure {
    FailureCode code = FailureCode::downstream_error;
    std::string tool = {};  ///< As agents see it; empty for other methods.
    std::string server = {};
    std::string message = {};  ///< A sentence for the agent.
    bool is_retryable = false;
    std::optional<resilience::Duration> retry_after = std::nullopt;
    /// The request was sent, no answer arrived, and repeating the call is not known to be safe.
    bool may_have_side_effects = false;
    std::string words = {};         ///< The agent's text; empty = made from the other members.
    std::string more_members = {};  ///< Of the JSON object: `"a":1,"b":2`.
};

/// The code of a fault that no policy has classified.
[[nodiscard]] FailureCode code_of(const downstream::CallFault& fault) noexcept;

/// Whole seconds for people and agents, rounded up so that nobody retries too early.
[[nodiscard]] std::int64_t whole_seconds(resilience::Duration duration);
/// The same for a wait: at least 1, because an agent may retry in a busy loop after 0.
[[nodiscard]] std::int64_t wait_seconds(resilience::Duration wait);

/// The advice to the agent if `may_have_side_effects`.
inline constexpr std::string_view kMayHaveTakenEffect =
    "The request was sent and may have taken effect. Verify before retrying.";

/// The failure as a JSON object.
[[nodiscard]] std::string json_of(const Failure& failure);
/// The text for the agent: what happened, whether to retry, and when.
[[nodiscard]] std::string words_of(const Failure& failure);

/// As the result of a `tools/call`: the text, the object without what the text says, and the whole
/// object in `_meta`. Never structured content, which clients check against the tool's schema.
[[nodiscard]] std::string tool_result_of(const Failure& failure);
/// As the error object of any other method.
[[nodiscard]] std::string error_object_of(const Failure& failure);

}  // namespace holdfast::calls
