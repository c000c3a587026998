#include "cli/import/imported_entry.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "cli/import/client_variables.hpp"

namespace holdfast::cli {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;

constexpr std::array<std::string_view, 12> kTakenKeys = {"type",   "command", "args",    "env",
                                                         "cwd",    "url",     "headers", "disabled",
                                                         "preset", "policy",  "session", "timeout"};
// What is the client's own business and not missed here.
constexpr std::array<std::string_view, 9> kOwnKeys = {
    "autoApprove", "alwaysAllow", "disabledTools", "enabledTools", "gallery",
    "version",     "description", "name",          "icon"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

std::string_view text_of(const Node& entry, std::string_view key) {
    const Node* value = entry.find(key);
    return value != nullptr && value->kind == NodeKind::text ? std::string_view{value->text}
                                                             : std::string_view{};
}

bool is_holdfast(std::string_view name, const Node& entry) {
    const std::string_view url = text_of(entry, "url");
    if (!url.empty()) {
        return (name == "holdfast" && url.ends_with("/mcp")) ||
               url == "http://127.0.0.1:7332/mcp" || url == "http://localhost:7332/mcp";
    }
    const Node* arguments = entry.find("args");
    return std::filesystem::path{text_of(entry, "command")}.filename() == "holdfast" &&
           arguments != nullptr && std::ranges::any_of(arguments->items, [](const Node& item) {
               return item.text == "serve";
           });
}

/// Says something only together with the folder that the program is started in.
bool is_relative(std::string_view text) {
    return text == "." || text == ".." || text.starts_with("./") || text.starts_with("../");
}

bool needs_its_folder(const Node& entry) {
    const std::string_view command = text_of(entry, "command");
    const Node* arguments = entry.find("args");
    return (!command.starts_with('/') && command.find('/') != std::string_view::npos) ||
           (arguments != nullptr && std::ranges::any_of(arguments->items, [](const Node& item) {
                return is_relative(item.text);
            }));
}

void rewrite_texts(Node& node, const EntrySource& source, ImportedEntry& imported) {
    if (node.kind == NodeKind::text) {
        node.text = with_our_variables(node.text, source, imported);
    }
    for (Node& item : node.items) {
        rewrite_texts(item, source, imported);
    }
    for (Member& member : node.members) {
        rewrite_texts(member.value, source, imported);
    }
}

/// Programs say nothing by this: a command is always one.
bool is_needless(const Member& member) {
    return (member.key == "type" && member.value.text == "stdio") ||
           (member.key == "disabled" && member.value.kind == NodeKind::boolean &&
            !member.value.boolean) ||
           // Seconds to some and milliseconds to others.
           (member.key == "timeout" && member.value.kind == NodeKind::number);
}

}  // namespace

ImportedEntry imported_entry(std::string_view name, const Node& entry, const EntrySource& source) {
    ImportedEntry result;
    result.entry.kind = NodeKind::object;
    if (is_holdfast(name, entry)) {
        result.refusal = "it is Holdfast itself";
        return result;
    }
    for (const Member& member : entry.members) {
        if (!is_one_of(kTakenKeys, member.key)) {
            if (!is_one_of(kOwnKeys, member.key)) {
                result.notes.push_back("without \"" + config::printable(member.key) +
                                       "\", which is not a key of Holdfast");
            }
        } else if (!is_needless(member)) {
            Member taken = member;
            rewrite_texts(taken.value, source, result);
            result.entry.members.push_back(std::move(taken));
        }
    }
    if (!source.project.empty() && result.entry.find("cwd") == nullptr &&
        needs_its_folder(result.entry)) {
        Member folder{.key = "cwd", .key_place = {}, .value = {}};
        folder.value.kind = NodeKind::text;
        folder.value.text = source.project;
        result.entry.members.push_back(std::move(folder));
    }
    return result;
}

}  // namespace holdfast::cli
