#include "config/node.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/blanks.hpp"
#include "base/text_cut.hpp"

namespace holdfast::config {
namespace {

constexpr std::size_t kMaxShownBytes = 64;

bool is_plain_word(std::string_view key) noexcept {
    return !key.empty() && key.size() <= kMaxShownBytes && std::ranges::all_of(key, [](char one) {
        const bool is_letter = (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
        return is_letter || (one >= '0' && one <= '9') || one == '_' || one == '-' || one == '$';
    });
}

std::string quoted(std::string_view text) {
    return '"' + printable(text) + '"';
}

}  // namespace

const Node* Node::find(std::string_view key) const noexcept {
    const auto found = std::ranges::find(members, key, &Member::key);
    return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) noexcept {
    const auto found = std::ranges::find(members, key, &Member::key);
    return found == members.end() ? nullptr : &found->value;
}

bool has_reference(const Node& node) noexcept {
    return !node.written.empty() || std::ranges::any_of(node.items, has_reference) ||
           std::ranges::any_of(node.members,
                               [](const Member& member) { return has_reference(member.value); });
}

std::string_view kind_phrase(const Node& node) noexcept {
    switch (node.kind) {
        case NodeKind::null:
            return "null";
        case NodeKind::boolean:
            return "true or false";
        case NodeKind::number:
            return "a number";
        case NodeKind::text:
            return "text";
        case NodeKind::list:
            return "a list";
        case NodeKind::object:
            return "an object";
    }
    return "null";
}

std::string shown(const Node& node) {
    switch (node.kind) {
        case NodeKind::boolean:
            return node.boolean ? "true" : "false";
        case NodeKind::number:
            return printable(node.text);
        case NodeKind::text:
            return node.written.empty() ? quoted(node.text)
                                        : quoted(node.written) + " with its variables filled in";
        default:
            return std::string{kind_phrase(node)};
    }
}

std::string_view scalar_text(const Node& node) noexcept {
    return node.variable.empty() ? std::string_view{node.text} : base::without_blanks(node.text);
}

std::string printable(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::string_view kept = base::beginning_of(text, kMaxShownBytes);
    std::string result;
    for (const char one : kept) {
        const auto byte = static_cast<unsigned char>(one);
        if (byte < 0x20U || byte == 0x7FU) {
            result += {'\\', 'u', '0', '0', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
        } else if (one == '"' || one == '\\') {
            result += {'\\', one};
        } else {
            result += one;
        }
    }
    return kept.size() < text.size() ? result + "..." : result;
}

std::string key_path(std::string_view parent, std::string_view key) {
    std::string path{parent};
    if (!is_plain_word(key)) {
        return path + "[" + quoted(key) + "]";
    }
    if (!path.empty()) {
        path += '.';
    }
    return path.append(key);
}

}  // namespace holdfast::config
