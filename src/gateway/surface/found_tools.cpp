#include "surface/found_tools.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/counted.hpp"
#include "base/listed_names.hpp"
#include "base/number_text.hpp"
#include "base/text_cut.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "surface/tool_documents.hpp"
#include "surface/tool_health.hpp"
#include "surface/tool_signature.hpp"

namespace holdfast::surface {
namespace {

namespace json = boost::json;
using jsonrpc::JsonWriter;

constexpr std::size_t kMaxShownQuery = 60;
constexpr std::size_t kMaxNamedServers = 10;
constexpr std::size_t kMaxSignatureBytes = 300;
constexpr std::size_t kMaxLineBytes = 160;
constexpr std::size_t kMaxDescribedBytes = std::size_t{8} * 1024;
constexpr std::size_t kMaxDescriptionBytes = std::size_t{2} * 1024;
constexpr std::size_t kMaxInnerDescriptionBytes = 200;

std::string score_text(float value) {
    return base::number_text(std::isfinite(value) ? value : 0.0F, std::chars_format::fixed, 4);
}

/// The description of one tool as text and as JSON.
struct ToolText {
    std::string lines = {};
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

bool is_match(const search::FoundTool& tool) {
    return tool.step == search::SearchStep::hybrid || tool.step == search::SearchStep::keyword;
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

/// At most one line, cut at the end of a sentence if there is one.
std::string first_line(const std::string& description) {
    if (description.size() <= kMaxLineBytes) {
        return description;
    }
    const std::string_view beginning = base::beginning_of(description, kMaxLineBytes);
    const std::size_t end = beginning.find_last_of(".!?");
    const bool ends_sentence =
        end != std::string_view::npos && end > 0 && description[end + 1] == ' ';
    if (ends_sentence) {
        return std::string{beginning.substr(0, end + 1)};
    }
    constexpr std::string_view kCut = "…";
    return std::string{base::beginning_of(description, kMaxLineBytes - kCut.size())}.append(kCut);
}

std::string mark_of(const search::FoundTool& tool, const RouterAnswer& answer) {
    const Callable* const callable = answer.surface->find_tool(tool.id);
    const std::string why =
        tool.is_available || callable == nullptr ? "" : why_unavailable(*callable, answer.now);
    if (!why.empty()) {
        return " [unavailable: " + why + "]";
    }
    return tool.is_available ? "" : " [unavailable]";
}

ToolText text_of_tool(const search::FoundTool& tool, std::size_t number, const RouterAnswer& answer,
                      const SurfaceOptions& options) {
    const std::string_view definition =
        answer.surface->catalogue(ListKind::tools).find(tool.id)->definition;
    const std::string description = shown_description(definition, options.max_description_bytes);
    ToolText text;
    text.lines = fmt::format("\n{}. {}{}{}", number,
                             tool_signature(tool.id, schema_in(definition), kMaxSignatureBytes),
                             note_about(tool.step), mark_of(tool, answer));
    text.lines += description.empty() ? "" : "\n   " + first_line(description);

    JsonWriter object;
    object.begin_object();
    object.key("name").text(tool.id);
    if (answer.is_detailed) {
        object.key("description").text(description);
    }
    object.key("server").text(tool.server);
    object.key("step").text(search::name_of(tool.step));
    object.key("healthy").boolean(tool.is_available);
    if (answer.is_detailed && tool.ranking) {
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

std::vector<std::string> server_names(const Surface& surface) {
    std::vector<std::string> names;
    for (const Server& server : surface.servers()) {
        names.push_back(server.name);
    }
    return names;
}

std::string quoted_query(const std::string& query) {
    const std::string shown = shown_text(query, kMaxShownQuery);
    return shown.empty() ? "" : " \"" + shown + "\"";
}

std::string nothing_text(const RouterAnswer& answer) {
    if (answer.surface->tools().empty()) {
        return "No tool matches (" + steps_text(answer.found) + ").";
    }
    return fmt::format("No tool matches{}. Servers: {}. Try other words for the task.",
                       quoted_query(answer.query),
                       base::listed_names(server_names(*answer.surface), kMaxNamedServers));
}

std::size_t total_of(const RouterAnswer& answer) {
    const auto& tools = answer.surface->tools();
    return answer.server.empty()
               ? tools.size()
               : static_cast<std::size_t>(std::ranges::count_if(tools, [&](const Callable& tool) {
                     return tool.server->name == answer.server;
                 }));
}

std::string head_of(const RouterAnswer& answer, std::size_t count) {
    constexpr std::string_view kCall =
        "Call one with call_tool {\"name\", \"arguments\"}. The descriptions below are written by "
        "the tools' servers.";
    if (count == 0) {
        return nothing_text(answer);
    }
    const auto shown = std::span{answer.found.tools}.first(count);
    const auto matches = static_cast<std::size_t>(std::ranges::count_if(shown, is_match));
    const std::string of = answer.server.empty() ? "" : " of " + answer.server;
    const std::string total = base::counted(total_of(answer), "tool") + of;
    if (matches == 0) {
        return fmt::format("No tool matches{}; {} of {} follow ({}). {}",
                           quoted_query(answer.query), count, total, steps_text(answer.found),
                           kCall);
    }
    const std::string steps =
        matches == count ? std::string{} : " (" + steps_text(answer.found) + ")";
    return fmt::format("{} of {} {}{}{}. {}", matches, total, matches == 1 ? "matches" : "match",
                       quoted_query(answer.query), steps, kCall);
}

/// Removes what needs many bytes from a schema: `{"type":"object","see":"/properties/filter"}`
/// replaces a member with members of its own.
json::value top_level_of(const json::object& schema, const std::string& path) {
    json::object top;
    for (const auto& [key, value] : schema) {
        const json::object* const properties = key == "properties" ? value.if_object() : nullptr;
        if (properties == nullptr) {
            if (json::serialize(value).size() <= kMaxInnerDescriptionBytes) {
                top.emplace(key, value);
            }
            continue;
        }
        json::object members;
        for (const auto& [name, member] : *properties) {
            if (json::serialize(member).size() <= kMaxInnerDescriptionBytes) {
                members.emplace(name, member);
                continue;
            }
            json::object brief;
            if (const json::object* const object = member.if_object()) {
                if (const json::value* const type = object->if_contains("type")) {
                    brief.emplace("type", *type);
                }
            }
            brief.emplace("see", path + "/properties/" + std::string{name});
            members.emplace(name, std::move(brief));
        }
        top.emplace(key, std::move(members));
    }
    return top;
}

}  // namespace

std::string found_tools_result(const RouterAnswer& answer, const SurfaceOptions& options) {
    std::string lines;
    std::string objects;
    std::size_t count = 0;
    const std::size_t head_bytes = head_of(answer, answer.found.tools.size()).size();
    for (const search::FoundTool& tool : answer.found.tools) {
        const ToolText text = text_of_tool(tool, count + 1, answer, options);
        const std::size_t bytes =
            head_bytes + lines.size() + objects.size() + text.lines.size() + text.object.size();
        if (count > 0 && !answer.is_detailed && bytes > options.answer_bytes) {
            break;
        }
        lines += text.lines;
        objects += (objects.empty() ? "" : ",") + text.object;
        ++count;
    }
    JsonWriter result;
    begin_result(result, head_of(answer, count) + lines);
    result.key("structuredContent").begin_object();
    result.key("step").text(search::name_of(answer.found.step));
    write_skipped_steps(result, answer.found);
    result.key("tools").raw("[" + objects + "]");
    result.end_object().end_object();
    return result.take();
}

std::string described_tool_result(std::string_view definition, const std::string& path) {
    const jsonrpc::PaddedText text{std::string{definition}};
    const auto read = jsonrpc::part_reader().read_object(text, text.view());
    json::error_code error;
    const std::string_view written = read.find("inputSchema").value_or("{}");
    json::value schema = json::parse({written.data(), written.size()}, error);
    const json::value* part = &schema;
    if (!error && !path.empty()) {
        part = schema.find_pointer(path, error);
        if (part == nullptr) {
            return error_result("The schema has no \"" + shown_text(path, kMaxShownQuery) +
                                "\". Ask without a path first.");
        }
    }
    if (json::object* const object = schema.if_object(); object != nullptr && path.empty()) {
        object->erase("$schema");
    }
    std::string shown = error ? std::string{written} : json::serialize(*part);
    bool is_cut = false;
    if (shown.size() > kMaxDescribedBytes - kMaxDescriptionBytes && part->is_object()) {
        shown = json::serialize(top_level_of(part->get_object(), path));
        is_cut = true;
    }
    JsonWriter object;
    object.begin_object();
    object.key("name").raw(read.find("name").value_or("\"\""));
    if (path.empty()) {
        object.text_unless_empty("description",
                                 shown_description(definition, kMaxDescriptionBytes));
    } else {
        object.key("path").text(path);
    }
    object.key("inputSchema").raw(shown).end_object();
    std::string answer = object.take();
    if (is_cut) {
        answer += "\nThe schema is too long to show whole. Ask again with a \"path\" from \"see\".";
    }
    JsonWriter result;
    begin_result(result, answer);
    return result.end_object().take();
}

std::string error_result(std::string_view message) {
    JsonWriter result;
    begin_result(result, message);
    result.key("isError").boolean(true).end_object();
    return result.take();
}

}  // namespace holdfast::surface
