#pragma once

#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "mcp/revision.hpp"

// The last step of a call: the downstream's answer in the words of the agent's era, as bytes.

namespace holdfast::calls {

/// The request that is answered.
struct AnsweredRequest {
    std::string_view id = {};  ///< As the agent wrote it.
    std::string_view method = {};
    std::string_view uri = {};      ///< Of a resource; empty for others.
    std::string_view call_id = {};  ///< Told in the result; empty = not told.
    mcp::Era era = mcp::Era::legacy;
    /// The exposed name of the tool that answered in place of the one that was called; empty =
    /// none.
    std::string_view substitute = {};
};

struct AnswerText {
    std::string message = {};
    int http_status = 200;
};

/// Requires an answer that is final for the agent: no question in it that it cannot take.
[[nodiscard]] AnswerText answer_text(const AnsweredRequest& request,
                                     const downstream::Answer& answer);

/// The result of a downstream in the form that all eras have in common.
[[nodiscard]] std::string plain_result(const downstream::Answer& answer);

/// A result of our own in the agent's era: a modern one is marked as complete.
[[nodiscard]] std::string builtin_result_text(const AnsweredRequest& request,
                                              std::string_view result);

}  // namespace holdfast::calls
