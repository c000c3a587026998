#include "surface/found_tools.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "surface/tool_documents.hpp"

namespace holdfast::surface {
namespace {

using jsonrpc::append_quoted;

std::string score_text(float value) {
    return base::number_text(std::isfinite(value) ? value : 0.0F, std::chars_format::fixed, 4);
}

/// The description of one tool as text and as JSON.
struct ToolText {
    std::string line = {};
    std::string object = {};
};

std::string schema_in(std::string_view definition) {
    const jsonrpc::PaddedText text{std::string{definition}};
    return std::string{
        jsonrpc::part_reader().read_object(text, text.view()).find("inputSchema").value_or("{}")};
}

void append_scores(std::string& object, const search::FoundTool& tool) {
    if (!tool.ranking) {
        return;
    }
    const search::RankedTool& ranking = *tool.ranking;
    object.append(R"(,"score":)").append(score_text(ranking.score));
    object.append(R"(,"parts":{"keyword":)").append(score_text(ranking.keyword));
    object.append(R"(,"coverage":)").append(score_text(ranking.coverage));
    object.append(R"(,"nearness":)").append(score_text(ranking.nearness));
    object.append(R"(,"nameCoverage":)").append(score_text(ranking.name_coverage));
    object.append(R"(,"serverSupport":)").append(score_text(ranking.server_support)).append("}");
}

/// Returns a note if the tool is not a real match; empty otherwise.
std::string_view note_about(search::SearchStep step) {
    switch (step) {
        case search::SearchStep::fallback_tools:
            return " (configured fallback, not a match)";
        case search::SearchStep::all_tools:
            return " (from the catalogue, not a match)";
        case search::SearchStep::hybrid:
        case search::SearchStep::keyword:
            break;
    }
    return "";
}

ToolText text_of_tool(const search::FoundTool& tool, const Surface& surface,
                      const SurfaceOptions& options) {
    const std::string_view definition =
        surface.catalogue(ListKind::tools).find(tool.id)->definition;
    const std::string description = shown_description(definition, options.max_description_bytes);
    const std::string schema = schema_in(definition);
    const bool fits = schema.size() <= options.max_schema_bytes;
    ToolText text;
    text.line = "- " + tool.id;
    text.line += note_about(tool.step);
    text.line += tool.is_available ? "" : " (unavailable: its server is failing)";
    text.line += description.empty() ? "" : ": " + description;
    text.line += "\n  arguments: ";
    text.line += fits ? schema : "too long to show; ask describe_tool for them";

    text.object = R"({"name":)";
    append_quoted(text.object, tool.id);
    append_quoted(text.object += R"(,"description":)", description);
    text.object += R"(,"inputSchema":)" + (fits ? schema : R"({"type":"object"})");
    text.object += fits ? "" : R"(,"isSchemaLeftOut":true)";
    append_quoted(text.object += R"(,"server":)", tool.server);
    text.object.append(R"(,"step":")").append(search::name_of(tool.step)).append("\"");
    text.object.append(R"(,"healthy":)").append(tool.is_available ? "true" : "false");
    append_scores(text.object, tool);
    text.object += '}';
    return text;
}

std::string why_json(const search::SearchAnswer& found) {
    std::string text = "[";
    for (const search::StepLeft& left : found.left) {
        text += text.size() == 1 ? R"({"step":")" : R"(,{"step":")";
        text.append(search::name_of(left.step)).append(R"(","reason":)");
        append_quoted(text, left.reason);
        text += '}';
    }
    return text + ']';
}

/// Returns the steps that found the tools and why other steps were skipped: `keyword search;
/// semantic search skipped: there is no model`.
std::string steps_text(const search::SearchAnswer& found) {
    std::string text;
    std::array<bool, 4> is_source{};
    for (const search::FoundTool& tool : found.tools) {
        if (!std::exchange(is_source.at(static_cast<std::size_t>(tool.step)), true)) {
            text.append(text.empty() ? "" : ", ").append(search::names_of(tool.step).words);
        }
    }
    for (const search::StepLeft& left : found.left) {
        const bool has_found = is_source.at(static_cast<std::size_t>(left.step));
        text.append(text.empty() ? "" : "; ").append(search::names_of(left.step).words);
        text.append(has_found ? " " : " skipped: ").append(left.reason);
    }
    return text;
}

std::string head_of(const search::SearchAnswer& found, std::size_t count) {
    const std::string steps = steps_text(found);
    if (count == 0) {
        return "No tool matches (" + steps + "). Try other words for the task.";
    }
    return std::to_string(count) + (count == 1 ? " tool (" : " tools (") + steps +
           "). Call one by its name, or through call_tool. The descriptions below are written by "
           "the tools' servers.";
}

}  // namespace

std::string found_tools_result(const RouterAnswer& answer, const SurfaceOptions& options) {
    std::string lines;
    std::string objects;
    std::size_t count = 0;
    for (const search::FoundTool& tool : answer.found.tools) {
        const ToolText text = text_of_tool(tool, *answer.surface, options);
        if (lines.size() + objects.size() + text.line.size() + text.object.size() >
            options.max_answer_bytes) {
            break;
        }
        lines += "\n" + text.line;
        objects += (objects.empty() ? "" : ",") + text.object;
        ++count;
    }
    std::string result = R"({"content":[{"type":"text","text":)";
    append_quoted(result, head_of(answer.found, count) + lines);
    result.append(R"(}],"structuredContent":{"step":")");
    result.append(search::name_of(answer.found.step)).append(R"(","why":)");
    result.append(why_json(answer.found)).append(R"(,"tools":[)").append(objects);
    return result.append("]}}");
}

std::string described_tool_result(std::string_view definition) {
    std::string result = R"({"content":[{"type":"text","text":)";
    append_quoted(result, definition);
    return result.append(R"(}],"structuredContent":)").append(definition).append("}");
}

std::string error_result(std::string_view message) {
    std::string result = R"({"content":[{"type":"text","text":)";
    append_quoted(result, message);
    return result.append(R"(}],"isError":true})");
}

}  // namespace holdfast::surface
