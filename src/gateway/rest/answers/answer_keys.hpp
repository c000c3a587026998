#pragma once

#include <optional>
#include <string_view>

#include "config/object_reader.hpp"
#include "rest/rest_api.hpp"

// The keys that say what the answer of a backend must be and how agents see it, and the rule over
// several arguments.

namespace holdfast::rest {

/// `text`: a template, or its lines as a list.
void read_answer_text(config::ObjectReader& reader, RestTool& tool);

/// `check`: a schema for rules over several arguments, with the sentence for calls that break them.
void read_check(config::ObjectReader& reader, RestTool& tool);

/// `expects`
[[nodiscard]] std::optional<AnswerForm> read_expects(config::ObjectReader& reader);

/// `instructions` of a server.
void read_instructions(config::ObjectReader& reader, RestApi& api);

}  // namespace holdfast::rest
