#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/place.hpp"

namespace holdfast::config {

enum class NodeKind : std::uint8_t { null, boolean, number, text, list, object };

struct Member;

/// One value of a JSONC document and its place. `kind` decides which of the fields are used; the
/// others are empty.
///
/// Thread-safety: that of a plain value.
struct Node {
    NodeKind kind = NodeKind::null;
    Place place = {};
    bool boolean = false;
    double number = 0;
    std::string text;  ///< Of a text: its characters. Of a number: as it is written.
    /// Of a text with variables: as it is written, while `text` has their values. Else empty.
    std::string written;
    /// Of a text that is one reference and nothing else: the variable that supplied the value.
    /// Empty when the default did.
    std::string variable;
    /// One of the variables in the text has the name of a secret: messages must not show the value.
    bool is_secret = false;
    /// A variable of the text has no value. That has been reported, so nothing else about this
    /// value needs to be.
    bool is_unresolved = false;
    std::vector<Node> items;
    std::vector<Member> members;  ///< In the order of the file.

    /// The value of a key; null if this is not an object or has no such key.
    [[nodiscard]] const Node* find(std::string_view key) const noexcept;
    [[nodiscard]] Node* find(std::string_view key) noexcept;

    /// Whether the values are the same, wherever they are. Numbers are compared as written: `1`
    /// is not `1.0`.
    friend bool operator==(const Node& one, const Node& other) noexcept;
};

struct Member {
    std::string key;
    Place key_place = {};
    Node value;

    friend bool operator==(const Member& one, const Member& other) noexcept {
        return one.key == other.key && one.value == other.value;
    }
};

inline bool operator==(const Node& one, const Node& other) noexcept {
    return one.kind == other.kind && one.boolean == other.boolean && one.text == other.text &&
           one.items == other.items && one.members == other.members;
}

/// "an object", "a list", "text", …: what a value is, without saying which.
[[nodiscard]] std::string_view kind_phrase(const Node& node) noexcept;

/// The value as it is written in the file, cut when it is long; kinds with content are only named.
/// Shows no value of a variable. Not for values that may be secrets: these get `kind_phrase`.
[[nodiscard]] std::string shown(const Node& node);

/// Whether the value, or any value in it, has a reference to a variable.
[[nodiscard]] bool has_reference(const Node& node) noexcept;

/// A text as the value of a number, a duration or a choice: without the blanks around it where a
/// variable supplied it.
[[nodiscard]] std::string_view scalar_text(const Node& node) noexcept;

/// Text for one line of a message: control characters escaped, cut when it is long.
[[nodiscard]] std::string printable(std::string_view text);

/// The path of a key below another: `a.b`, or `a["b c"]` when the key is not a plain word.
[[nodiscard]] std::string key_path(std::string_view parent, std::string_view key);

}  // namespace holdfast::config
