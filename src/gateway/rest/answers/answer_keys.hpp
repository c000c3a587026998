#pragma once

#include <optional>
#include <string_view>

#include "config/object_reader.hpp"
#include "rest/rest_api.hpp"

// Readers of the keys that describe the answer of a backend and how agents see it, and of the rule
// over several arguments.

namespace holdfast::rest {

/// Reads `text`: a template, or a list of its lines.
void read_answer_text(config::ObjectReader& reader, RestTool& tool);

/// Reads `check`: a schema for rules over several arguments, with the sentence for calls that break
/// them.
void read_check(config::ObjectReader& reader, RestTool& tool);

/// Reads `expects`.
[[nodiscard]] std::optional<AnswerForm> read_expects(config::ObjectReader& reader);

/// Reads the server's `instructions`.
void read_instructions(config::ObjectReader& reader, RestApi& api);

}  // namespace holdfast::rest
