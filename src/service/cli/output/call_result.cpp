#include "cli/output/call_result.hpp"

#include "base/printable.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

std::string with_line_break(const std::string& text) {
    return text.ends_with('\n') ? text : text + "\n";
}

std::string shown_block(std::string_view block) {
    const std::string type = jsonrpc::text_member_of(block, "type");
    if (type == "text") {
        return with_line_break(jsonrpc::text_member_of(block, "text"));
    }
    std::string about = jsonrpc::text_member_of(block, "mimeType");
    if (type == "resource_link") {
        about = jsonrpc::text_member_of(block, "uri");
    } else if (type == "resource") {
        about = jsonrpc::text_member_of(jsonrpc::member_of(block, "resource"), "uri");
    }
    return "[" + type + (about.empty() ? "" : " ") + about + "]\n";
}

}  // namespace

bool is_failed_result(std::string_view result) {
    return jsonrpc::member_of(result, "isError") == "true" ||
           jsonrpc::text_member_of(result, "resultType") == "input_required";
}

std::string shown_result(std::string_view result, bool is_for_terminal) {
    if (jsonrpc::text_member_of(result, "resultType") == "input_required") {
        return "The tool asks for input, which this command cannot supply.\n";
    }
    std::string shown;
    for (const std::string& block : jsonrpc::items_of(jsonrpc::member_of(result, "content"))) {
        shown += shown_block(block);
    }
    const std::string structured = jsonrpc::member_of(result, "structuredContent");
    if (shown.empty() && !structured.empty()) {
        shown = structured + "\n";
    }
    return is_for_terminal ? base::shown_text(shown) : shown;
}

}  // namespace holdfast::cli
