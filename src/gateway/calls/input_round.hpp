#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "downstream/answer.hpp"
#include "mcp/revision.hpp"

// The questions of a call in both eras: a modern server asks in its result and is called again, a
// legacy server sends a request.

namespace holdfast::calls {

/// One question under the key that the asking side chose.
struct KeyedQuestion {
    std::string key = {};
    std::string method = {};
    std::string params = {};  ///< JSON as written; empty = none.
};

/// What a modern server needs before it can continue.
struct InputRequired {
    std::vector<KeyedQuestion> questions = {};
    std::string state = {};  ///< A JSON string as written; empty = none.
};

/// Copies the members of a JSON object; empty for other values.
using Members = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Members members_of(std::string_view object);

/// Reads a result of the type `input_required`. Returns nothing without questions and state.
[[nodiscard]] std::optional<InputRequired> input_required_in(const downstream::Answer& answer);

/// A result with questions for a modern agent. `state` is plain text.
[[nodiscard]] std::string input_required_result(const std::vector<KeyedQuestion>& questions,
                                                std::string_view state);

/// The members to add to `params` when a modern server is called again. `answers` are result
/// objects by key; `state` is JSON as the server wrote it.
[[nodiscard]] std::string retry_members(const Members& answers, std::string_view state);

/// The params of a question for an agent of that revision. `elicitation_id` is used for a question
/// by URL that has no id.
[[nodiscard]] std::string params_for_agent(const KeyedQuestion& question, mcp::Revision revision,
                                           std::string_view elicitation_id);

/// The params of a legacy server's question for a modern agent.
[[nodiscard]] std::string params_for_modern_agent(const KeyedQuestion& question);

}  // namespace holdfast::calls
