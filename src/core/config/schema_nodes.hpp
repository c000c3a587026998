#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "config/key_info.hpp"
#include "config/node.hpp"
#include "config/quantity.hpp"
#include "config/range.hpp"

namespace holdfast::config {

// Parts of a JSON Schema (2020-12) as nodes. A value that may come from a variable also accepts a
// text with a reference, since editors check the file before variables are filled in.

[[nodiscard]] Node text_node(std::string_view text);
[[nodiscard]] Node number_node(double number);
[[nodiscard]] Node flag_node(bool flag);
[[nodiscard]] Node list_node(std::vector<Node> items);
[[nodiscard]] Node object_node(std::initializer_list<std::pair<std::string_view, Node>> members);
/// The schema with one more keyword behind the others.
[[nodiscard]] Node with(Node schema, std::string_view keyword, Node value);
[[nodiscard]] Node with_default(Node schema, Node value);

[[nodiscard]] Node flag_schema();
[[nodiscard]] Node text_schema();
[[nodiscard]] Node duration_schema(const Range<Duration>& range);
[[nodiscard]] Node size_schema(const Range<std::size_t>& range);
[[nodiscard]] Node whole_number_schema(double min, double max);
[[nodiscard]] Node number_schema(double min, double max);
[[nodiscard]] Node choice_schema(std::span<const std::string_view> choices);
[[nodiscard]] Node any_of(std::vector<Node> schemas);
[[nodiscard]] Node list_schema(Node item);
/// One value of that schema, or a list of them.
[[nodiscard]] Node one_or_list_schema(const Node& item);
/// An object whose keys are names that the user chooses.
[[nodiscard]] Node map_schema(Node value);

enum class UnknownKeys : std::uint8_t { refused, ignored };

/// An object with these keys.
[[nodiscard]] Node object_schema(std::span<const KeyInfo> keys,
                                 UnknownKeys unknown = UnknownKeys::refused);

/// What the other schemas refer to: the `$defs` of the whole.
[[nodiscard]] Node schema_definitions();

}  // namespace holdfast::config
