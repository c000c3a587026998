#pragma once

#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "mcp/revision.hpp"

// The last step of a call: writes the downstream's answer as a message of the agent's era.

namespace holdfast::calls {

/// The request that is answered.
struct AnsweredRequest {
    std::string_view id = {};  ///< As the agent wrote it.
    std::string_view method = {};
    std::string_view uri = {};      ///< Of a resource; empty for others.
    std::string_view call_id = {};  ///< Is added to the result; empty = not added.
    mcp::Era era = mcp::Era::legacy;
    /// The exposed name of the tool that answered instead of the requested one; empty = none.
    std::string_view substitute = {};
};

struct AnswerText {
    std::string message = {};
    int http_status = 200;
};

/// Requires an answer that is final for the agent: a legacy agent cannot take questions in it.
[[nodiscard]] AnswerText answer_text(const AnsweredRequest& request,
                                     const downstream::Answer& answer);

/// The result of a downstream without the members of the modern era.
[[nodiscard]] std::string plain_result(const downstream::Answer& answer);

/// A result that the gateway made, in the agent's era: for a modern agent it is marked as complete.
[[nodiscard]] std::string builtin_result_text(const AnsweredRequest& request,
                                              std::string_view result);

}  // namespace holdfast::calls
