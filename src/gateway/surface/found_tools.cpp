#include "surface/found_tools.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/counted.hpp"
#include "base/number_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "surface/tool_documents.hpp"

namespace holdfast::surface {
namespace {

using jsonrpc::JsonWriter;

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

void write_scores(JsonWriter& writer, const search::RankedTool& ranking) {
    writer.key("score").raw(score_text(ranking.score));
    writer.key("parts").begin_object();
    writer.key("keyword").raw(score_text(ranking.keyword));
    writer.key("coverage").raw(score_text(ranking.coverage));
    writer.key("nearness").raw(score_text(ranking.nearness));
    writer.key("nameCoverage").raw(score_text(ranking.name_coverage));
    writer.key("serverSupport").raw(score_text(ranking.server_support));
    writer.end_object();
}

/// Writes a result with one text as its content. The caller adds members and closes the object.
void begin_result(JsonWriter& writer, std::string_view text) {
    writer.begin_object().key("content").begin_array().begin_object();
    writer.key("type").text("text");
    writer.key("text").text(text);
    writer.end_object().end_array();
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

    JsonWriter object;
    object.begin_object();
    object.key("name").text(tool.id);
    object.key("description").text(description);
    object.key("inputSchema").raw(fits ? schema : R"({"type":"object"})");
    if (!fits) {
        object.key("isSchemaLeftOut").boolean(true);
    }
    object.key("server").text(tool.server);
    object.key("step").text(search::name_of(tool.step));
    object.key("healthy").boolean(tool.is_available);
    if (tool.ranking) {
        write_scores(object, *tool.ranking);
    }
    object.end_object();
    text.object = object.take();
    return text;
}

void write_skipped_steps(JsonWriter& writer, const search::SearchAnswer& found) {
    writer.key("why").begin_array();
    for (const search::StepLeft& left : found.left) {
        writer.begin_object();
        writer.key("step").text(search::name_of(left.step));
        writer.key("reason").text(left.reason);
        writer.end_object();
    }
    writer.end_array();
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
    return fmt::format(
        "{} ({}). Call one by its name, or through call_tool. The descriptions below are written "
        "by the tools' servers.",
        base::counted(count, "tool"), steps);
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
    JsonWriter result;
    begin_result(result, head_of(answer.found, count) + lines);
    result.key("structuredContent").begin_object();
    result.key("step").text(search::name_of(answer.found.step));
    write_skipped_steps(result, answer.found);
    result.key("tools").raw("[" + objects + "]");
    result.end_object().end_object();
    return result.take();
}

std::string described_tool_result(std::string_view definition) {
    JsonWriter result;
    begin_result(result, definition);
    result.key("structuredContent").raw(definition).end_object();
    return result.take();
}

std::string error_result(std::string_view message) {
    JsonWriter result;
    begin_result(result, message);
    result.key("isError").boolean(true).end_object();
    return result.take();
}

}  // namespace holdfast::surface
