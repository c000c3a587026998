#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// Cuts a text to a number of bytes, between characters, and marks the cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t max_bytes);

/// The text in quotes, cut when it is long.
[[nodiscard]] std::string quoted(std::string_view text);

/// A value as JSON when it is short, else in words: `"abc"`, `5`, `array with 12 items`.
[[nodiscard]] std::string value_in_words(const boost::json::value& value);

/// The same behind its kind: `string "abc"`, `integer 5`; the kind alone without `show_values`.
[[nodiscard]] std::string kind_in_words(const boost::json::value& value, bool show_values);

/// The types of a mask: "string or null".
[[nodiscard]] std::string types_in_words(std::uint32_t mask);

/// What a node asks for, as short as can be: "string", "array of integer", `"fast" | "slow"`.
[[nodiscard]] std::string label_of(const Program& program, NodeIndex node);

/// The first instruction of a node that does something, or null.
[[nodiscard]] const Instruction* find_instruction(const Program& program, NodeIndex node, Op op);

}  // namespace holdfast::schema
