#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include "support/fixture_server/call.hpp"
#include "support/fixture_server/outcome.hpp"

namespace holdfast::fixture {

/// A question of a tool or prompt to the client.
struct Question {
    std::string key = {};
    std::string_view method = "elicitation/create";
    std::string params = "{}";  ///< JSON.
};

/// A form with one field of that name and JSON type.
[[nodiscard]] Question form_question(std::string_view key, std::string_view message,
                                     std::string_view field, std::string_view type = "string");
/// A form with its own schema, as JSON.
[[nodiscard]] Question schema_question(std::string_view key, std::string_view message,
                                       std::string_view schema);
[[nodiscard]] Question sampling_question(std::string_view key, std::string_view prompt,
                                         int max_tokens);
[[nodiscard]] Question roots_question(std::string_view key);

/// Returns whether the client declared that it can answer such a question.
[[nodiscard]] bool can_answer(Call& call, const Question& question);

/// Refuses a request that needs a capability that the client lacks.
[[nodiscard]] Outcome missing_capability(Call& call, std::string_view capability);

enum class StateUse {
    when_needed,  ///< Only to carry the answers of earlier rounds.
    always,       ///< Answers count only with the state that belongs to them.
};

/// The answers by key, or how the request ends instead: with the questions as its result, or with
/// an error.
using Asked = std::variant<boost::json::object, Outcome>;

/// Asks in the style of the call's era: a legacy client gets requests and the call waits; a modern
/// one gets the questions as a result and repeats the call with its answers. The tool then runs
/// again from its beginning and takes earlier answers from the state, so the code of a tool is the
/// same in both eras.
[[nodiscard]] boost::asio::awaitable<Asked> ask(std::shared_ptr<Call> call,
                                                std::vector<Question> questions,
                                                StateUse use = StateUse::when_needed);

}  // namespace holdfast::fixture
