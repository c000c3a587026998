#pragma once

#include <array>

#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"
#include "rest/rest_api.hpp"

// Keys about the answers of an HTTP API, and the rule over several arguments.

namespace holdfast::config {

template <>
struct Choices<rest::AnswerForm> {
    static constexpr std::array<NamedChoice<rest::AnswerForm>, 2> kAll = {{
        {.name = "any", .choice = rest::AnswerForm::any},
        {.name = "json", .choice = rest::AnswerForm::json},
    }};
};

}  // namespace holdfast::config

namespace holdfast::rest {

/// Reads `text`: a template, or a list of its lines.
void read_answer_text(config::ObjectReader& reader, std::string_view key, RestTool& tool);

/// Reads `check`: a schema for rules over several arguments, with the sentence for calls that break
/// them.
void read_check(config::ObjectReader& reader, std::string_view key, RestTool& tool);

/// `instructions` of a server.
void read_instructions(config::ObjectReader& reader, RestApi& api);

}  // namespace holdfast::rest
