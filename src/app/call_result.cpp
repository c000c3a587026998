#include "app/call_result.hpp"

#include <optional>
#include <vector>

#include "app/text_table.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::app {
namespace {

constexpr std::size_t kMaxBlocks = 1'000'000;

std::string member(std::string_view object, std::string_view key) {
    const jsonrpc::PaddedText text{std::string{object}};
    const auto value = jsonrpc::part_reader().read_object(text, text.view()).find(key);
    return std::string{value.value_or("")};
}

std::string text_member(std::string_view object, std::string_view key) {
    const std::string value = member(object, key);
    return value.starts_with('"') ? jsonrpc::decoded(value) : std::string{};
}

std::string with_line_break(std::string text) {
    return text.ends_with('\n') ? text : text + "\n";
}

std::string shown_block(std::string_view block) {
    const std::string type = text_member(block, "type");
    if (type == "text") {
        return with_line_break(text_member(block, "text"));
    }
    std::string about = text_member(block, "mimeType");
    if (type == "resource_link") {
        about = text_member(block, "uri");
    } else if (type == "resource") {
        about = text_member(member(block, "resource"), "uri");
    }
    return "[" + type + (about.empty() ? "" : " ") + about + "]\n";
}

}  // namespace

bool is_failed_result(std::string_view result) {
    return member(result, "isError") == "true" ||
           text_member(result, "resultType") == "input_required";
}

std::string shown_result(std::string_view result, bool is_for_terminal) {
    if (text_member(result, "resultType") == "input_required") {
        return "The tool asks for more input, which a command cannot give.\n";
    }
    const jsonrpc::PaddedText content{member(result, "content")};
    jsonrpc::MessageReader reader{{.max_batch = kMaxBlocks}};
    std::string shown;
    // An empty list is no batch.
    if (const auto blocks = reader.split_batch(content)) {
        for (const std::string_view block : *blocks) {
            shown += shown_block(block);
        }
    }
    const std::string structured = member(result, "structuredContent");
    if (shown.empty() && !structured.empty()) {
        shown = structured + "\n";
    }
    return is_for_terminal ? shown_text(shown) : shown;
}

}  // namespace holdfast::app
