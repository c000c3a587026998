#include "admin/tool_list_json.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::admin {
namespace {

/// Rough value for English text and JSON.
constexpr std::size_t kBytesInToken = 4;

bool is_in(std::string_view words, std::string_view text) {
    const auto same = [](unsigned char left, unsigned char right) {
        return std::tolower(left) == std::tolower(right);
    };
    return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

std::string description_in(std::string_view definition) {
    const jsonrpc::PaddedText text{std::string{definition}};
    const auto found = jsonrpc::part_reader().read_object(text, text.view()).find("description");
    return found && found->starts_with('"') ? jsonrpc::decoded(*found) : std::string{};
}

void write(jsonrpc::JsonWriter& out, const search::FoundTool& tool,
           const surface::Surface& surface) {
    const auto definition = surface.definition_of(tool.id, mcp::Era::modern);
    out.begin_object().key("name").text(tool.id).key("server").text(tool.server);
    out.key("description").text(definition ? description_in(*definition) : std::string{});
    const auto score = [&](std::string_view name, float search::RankedTool::* part) {
        out.key(name);
        tool.ranking ? out.number(static_cast<double>((*tool.ranking).*part)) : out.null();
    };
    score("score", &search::RankedTool::score);
    score("keyword", &search::RankedTool::keyword);
    score("meaning", &search::RankedTool::nearness);
    out.key("step").text(search::name_of(tool.step));
    out.key("healthy").boolean(tool.is_available).end_object();
}

}  // namespace

std::string found_json(const surface::RouterAnswer& answer, double took_ms) {
    jsonrpc::JsonWriter out;
    out.begin_object()
        .key("step")
        .text(search::name_of(answer.found.step))
        .key("why")
        .begin_array();
    for (const search::StepLeft& left : answer.found.left) {
        out.text(std::string{search::name_of(left.step)} + ": " + left.reason + ".");
    }
    out.end_array().key("took_ms").number(took_ms).key("tools").begin_array();
    for (const search::FoundTool& tool : answer.found.tools) {
        write(out, tool, *answer.surface);
    }
    return out.end_array().end_object().take();
}

std::string tools_json(const surface::Surface& surface, const ToolFilter& filter) {
    std::size_t total = 0;
    jsonrpc::JsonWriter tools;
    tools.begin_array();
    for (const catalogue::Item& item : surface.catalogue(downstream::ListKind::tools).items()) {
        const bool is_meant = filter.words.empty() || is_in(filter.words, item.exposed_name) ||
                              is_in(filter.words, description_in(item.definition));
        if (!is_meant) {
            continue;
        }
        const std::size_t place = total++;
        if (place < filter.offset || place - filter.offset >= filter.limit) {
            continue;
        }
        tools.begin_object().key("name").text(item.exposed_name);
        tools.key("server").text(item.server);
        tools.key("description").text(description_in(item.definition));
        tools.key("tokens").number(item.definition.size() / kBytesInToken).end_object();
    }
    tools.end_array();
    jsonrpc::JsonWriter out;
    out.begin_object().key("total").number(total).key("tools").raw(tools.take());
    return out.end_object().take();
}

}  // namespace holdfast::admin
