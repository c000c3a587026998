#include "cli/import/config_edit.hpp"

#include <optional>

#include "base/text_cut.hpp"
#include "config/document.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::cli {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;

/// Where a place is in the text, in bytes; it counts characters.
std::size_t offset_of(std::string_view text, config::Place place) {
    std::size_t offset = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (std::uint32_t line = 1; line < place.line; ++line) {
        offset = text.find('\n', offset);
        if (offset == std::string_view::npos) {
            return text.size();
        }
        ++offset;
    }
    for (std::uint32_t column = 1; column < place.column && offset < text.size(); ++column) {
        ++offset;
        while (offset < text.size() && base::continues_character(text[offset])) {
            ++offset;
        }
    }
    return offset;
}

std::string lines_of(const std::vector<Member>& members, std::string_view indent) {
    std::string lines;
    for (const Member& member : members) {
        lines += "\n" + std::string{indent} + jsonrpc::quoted_text(member.key) + ": " +
                 value_text(member.value) + ",";
    }
    return lines;
}

ConfigTextFault unreadable(std::string_view file) {
    return {.message = std::string{file} +
                       " cannot be edited by a program; add the servers by hand, or "
                       "write them to another file with --config"};
}

}  // namespace

std::string value_text(const Node& value) {
    std::string text;
    switch (value.kind) {
        case NodeKind::null:
            return "null";
        case NodeKind::boolean:
            return value.boolean ? "true" : "false";
        case NodeKind::number:
            return value.text;
        case NodeKind::text:
            return jsonrpc::quoted_text(value.text);
        case NodeKind::list:
            for (const Node& item : value.items) {
                text += (text.empty() ? "" : ", ") + value_text(item);
            }
            return "[" + text + "]";
        case NodeKind::object:
            return object_text(value.members, 0);
    }
    return text;
}

std::string object_text(const std::vector<Member>& members, std::size_t indent) {
    if (members.empty()) {
        return "{}";
    }
    const std::string before = indent == 0 ? "" : "\n" + std::string(indent, ' ');
    std::string text;
    for (const Member& member : members) {
        text += (text.empty()  ? ""
                 : indent == 0 ? ", "
                               : ",") +
                before + jsonrpc::quoted_text(member.key) + ": " + value_text(member.value);
    }
    return "{" + text + (indent == 0 ? "}" : "\n}");
}

resilience::Result<std::string, ConfigTextFault> with_servers(std::string_view file,
                                                              std::string text,
                                                              const std::vector<Member>& servers) {
    config::FaultReport report{file};
    const auto root = config::read_document(text, report);
    if (!root || root->kind != NodeKind::object) {
        return unreadable(file);
    }
    const Node* section = root->find("mcpServers");
    section = section == nullptr ? root->find("servers") : section;
    // A comma may stand behind the last member, so that new ones can always go first.
    const std::size_t offset = offset_of(text, section == nullptr ? root->place : section->place);
    if (offset >= text.size() || text[offset] != '{') {
        return unreadable(file);
    }
    text.insert(offset + 1, section == nullptr
                                ? "\n  \"mcpServers\": {" + lines_of(servers, "    ") + "\n  },"
                                : lines_of(servers, "    "));
    return text;
}

}  // namespace holdfast::cli
