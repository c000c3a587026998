#include "rest/answers/answer_keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text_cut.hpp"
#include "config/node_json.hpp"
#include "schema/tool_schema.hpp"

namespace holdfast::rest {
namespace {

using config::Node;
using config::NodeKind;
using config::ObjectReader;
using config::Place;

constexpr std::size_t kMaxInstructionBytes = 300;

/// Returns the number of columns that a text takes in a JSON file with the usual escapes.
std::uint32_t written_columns(std::string_view text) {
    std::uint32_t columns = 0;
    for (const char one : text) {
        if (base::continues_character(one)) {
            continue;
        }
        const bool has_short_escape = one == '"' || one == '\\' || one == '\n' || one == '\t' ||
                                      one == '\r' || one == '\b' || one == '\f';
        const bool has_long_escape = static_cast<unsigned char>(one) < ' ';
        columns += has_short_escape ? 2 : has_long_escape ? 6 : 1;
    }
    return columns;
}

/// Returns the place in the file of an offset in a text. For a text with variables only the start
/// is known.
Place place_in(const Node& text, std::size_t offset) {
    Place place = text.place;
    if (text.written.empty()) {
        constexpr std::uint32_t kQuote = 1;
        place.column += kQuote + written_columns(std::string_view{text.text}.substr(0, offset));
    }
    return place;
}

/// Returns " (line 2, column 7 of the text)"; empty for a text of one line.
std::string phrase_of_offset(std::string_view text, std::size_t offset) {
    if (text.find('\n') == std::string_view::npos) {
        return {};
    }
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto column = 1 + std::ranges::count_if(before.substr(start), [](char one) {
                            return !base::continues_character(one);
                        });
    return fmt::format(" (line {}, column {} of the text)", line, column);
}

/// Returns the nodes of the template's lines; empty after a fault.
std::vector<const Node*> lines_of(ObjectReader& reader, const Node& value) {
    std::vector<const Node*> lines;
    if (value.kind == NodeKind::text) {
        lines.push_back(&value);
        return lines;
    }
    if (value.kind != NodeKind::list) {
        reader.refuse_kind(value, "text", "a template as text, or a list of its lines");
        return lines;
    }
    for (const Node& item : value.items) {
        if (item.kind != NodeKind::text) {
            reader.refuse_kind(item, "text", "a list of texts, each a line of the template");
            return {};
        }
        lines.push_back(&item);
    }
    return lines;
}

/// Reports the problem at its own line of the list.
void refuse_template(const ObjectReader& reader, const std::vector<const Node*>& lines,
                     const TemplateProblem& problem) {
    std::size_t offset = problem.offset;
    std::size_t index = 0;
    while (index + 1 < lines.size() && offset > lines[index]->text.size()) {
        offset -= lines[index]->text.size() + 1;
        ++index;
    }
    const Node& line = *lines[index];
    // An unclosed tag in one line can make another line invalid.
    const bool is_external =
        std::ranges::any_of(lines, [](const Node* one) { return config::has_reference(*one); });
    reader.report().refuse(
        place_in(line, std::min(offset, line.text.size())),
        reader.path_of("text") + ": " + problem.message + phrase_of_offset(line.text, offset),
        is_external ? config::FaultCause::external : config::FaultCause::file);
}

}  // namespace

void read_answer_text(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* const value = reader.find(key);
    if (value == nullptr) {
        return;
    }
    const std::vector<const Node*> lines = lines_of(reader, *value);
    if (lines.empty() || std::ranges::any_of(lines, &Node::is_unresolved)) {
        return;
    }
    std::string text;
    for (const Node* const line : lines) {
        text.append(line == lines.front() ? "" : "\n").append(line->text);
    }
    auto parsed = AnswerTemplate::parsed(text);
    if (parsed) {
        tool.text = std::move(*parsed);
    } else {
        refuse_template(reader, lines, parsed.error());
    }
}

void read_check(ObjectReader& reader, std::string_view key, RestTool& tool) {
    const Node* const check = reader.find_object(key);
    if (check == nullptr) {
        return;
    }
    const Node* const description = check->find("description");
    if (description == nullptr || description->kind != NodeKind::text ||
        description->text.empty()) {
        reader.refuse(*check, key,
                      "needs \"description\": the sentence that agents get when their arguments "
                      "violate the rule");
        return;
    }
    tool.check = {.schema = config::json_of(*check), .sentence = description->text};
    if (const schema::ToolSchema compiled{tool.check.schema}; !compiled.problem().empty()) {
        reader.refuse(*check, key, "invalid schema at " + compiled.problem());
    }
}

void read_instructions(ObjectReader& reader, RestApi& api) {
    const Node* const value = reader.find("instructions");
    reader.read_text("instructions", api.instructions);
    if (value != nullptr && api.instructions.size() > kMaxInstructionBytes) {
        reader.refuse(*value, "instructions",
                      fmt::format("must be at most {} bytes, not {}", kMaxInstructionBytes,
                                  api.instructions.size()));
    }
}

}  // namespace holdfast::rest
