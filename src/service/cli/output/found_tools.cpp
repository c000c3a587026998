#include "cli/output/found_tools.hpp"

#include <cstddef>
#include <vector>

#include "cli/output/text_table.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxDescriptionBytes = 80;
/// A reason ends with the advice what to do.
constexpr std::size_t kMaxReasonBytes = 500;

std::string shown_steps(std::string_view found, LineCut cut) {
    std::string text;
    for (const std::string& left : jsonrpc::items_of(jsonrpc::member_of(found, "why"))) {
        text += jsonrpc::text_member_of(left, "step") + " skipped: " +
                cut_line(jsonrpc::text_member_of(left, "reason"), kMaxReasonBytes, cut) + "\n";
    }
    return text + "found by step: " + jsonrpc::text_member_of(found, "step") + "\n";
}

bool is_failing(std::string_view tool) {
    return jsonrpc::member_of(tool, "healthy") == "false";
}

std::vector<std::string> explained_row(std::string_view tool) {
    const std::string parts = jsonrpc::member_of(tool, "parts");
    return {jsonrpc::text_member_of(tool, "name"),      jsonrpc::member_of(tool, "score"),
            jsonrpc::member_of(parts, "keyword"),       jsonrpc::member_of(parts, "coverage"),
            jsonrpc::member_of(parts, "nearness"),      jsonrpc::member_of(parts, "nameCoverage"),
            jsonrpc::member_of(parts, "serverSupport"), is_failing(tool) ? "failing" : ""};
}

std::vector<std::string> described_row(std::string_view tool, LineCut cut) {
    return {jsonrpc::text_member_of(tool, "name"), jsonrpc::member_of(tool, "score"),
            (is_failing(tool) ? "(failing) " : "") +
                cut_line(jsonrpc::text_member_of(tool, "description"), kMaxDescriptionBytes, cut)};
}

}  // namespace

std::string shown_found(std::string_view json, const FoundToolsView& view) {
    TextTable table;
    if (view.explains) {
        table.add({"tool", "score", "keyword", "coverage", "nearness", "name", "server", ""});
    }
    for (const std::string& tool : jsonrpc::items_of(jsonrpc::member_of(json, "tools"))) {
        table.add(view.explains ? explained_row(tool) : described_row(tool, view.cut));
    }
    return shown_steps(json, view.cut) + table.text();
}

}  // namespace holdfast::cli
