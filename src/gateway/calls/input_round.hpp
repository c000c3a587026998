#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "downstream/answer.hpp"
#include "mcp/revision.hpp"

// The questions of a call in both eras: a modern server asks in its result and is called again, a
// legacy server asks by a request of its own.

namespace holdfast::calls {

/// One question under the key that its asker gave it. Both texts are JSON as written.
struct KeyedQuestion {
    std::string key = {};
    std::string method = {};
    std::string params = {};  ///< Empty = none.
};

/// What a modern server wants to know before it goes on.
struct InputRequired {
    std::vector<KeyedQuestion> questions = {};
    std::string state = {};  ///< A JSON string as written; empty = none.
};

/// The members of an object within a text, copied.
using Members = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Members members_of(std::string_view object);

/// Out of a result of the type `input_required`. Nothing if it asks for nothing at all.
[[nodiscard]] std::optional<InputRequired> input_required_in(const downstream::Answer& answer);

/// A result that asks a modern agent. `state` is plain text.
[[nodiscard]] std::string input_required_result(const std::vector<KeyedQuestion>& questions,
                                                std::string_view state);

/// The members to add to `params` when a modern server is called again; `answers` are keyed result
/// objects, `state` is JSON as it came.
[[nodiscard]] std::string retry_members(const Members& answers, std::string_view state);

/// The params of a question as an agent of that revision takes them. `elicitation_id` is used for
/// a question by URL that has none.
[[nodiscard]] std::string params_for_agent(const KeyedQuestion& question, mcp::Revision revision,
                                           std::string_view elicitation_id);

/// The params of a legacy server's question as a modern agent takes them.
[[nodiscard]] std::string params_for_modern_agent(const KeyedQuestion& question);

}  // namespace holdfast::calls
