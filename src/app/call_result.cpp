#include "app/call_result.hpp"

#include "app/json_members.hpp"
#include "base/printable.hpp"

namespace holdfast::app {
namespace {

std::string with_line_break(const std::string& text) {
    return text.ends_with('\n') ? text : text + "\n";
}

std::string shown_block(std::string_view block) {
    const std::string type = text_member_of(block, "type");
    if (type == "text") {
        return with_line_break(text_member_of(block, "text"));
    }
    std::string about = text_member_of(block, "mimeType");
    if (type == "resource_link") {
        about = text_member_of(block, "uri");
    } else if (type == "resource") {
        about = text_member_of(member_of(block, "resource"), "uri");
    }
    return "[" + type + (about.empty() ? "" : " ") + about + "]\n";
}

}  // namespace

bool is_failed_result(std::string_view result) {
    return member_of(result, "isError") == "true" ||
           text_member_of(result, "resultType") == "input_required";
}

std::string shown_result(std::string_view result, bool is_for_terminal) {
    if (text_member_of(result, "resultType") == "input_required") {
        return "The tool asks for more input, which a command cannot give.\n";
    }
    std::string shown;
    for (const std::string& block : items_of(member_of(result, "content"))) {
        shown += shown_block(block);
    }
    const std::string structured = member_of(result, "structuredContent");
    if (shown.empty() && !structured.empty()) {
        shown = structured + "\n";
    }
    return is_for_terminal ? base::shown_text(shown) : shown;
}

}  // namespace holdfast::app
