#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// Cuts a text to a number of bytes at a character boundary and marks the cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t max_bytes);

/// Returns the text in quotes; a long text is cut.
[[nodiscard]] std::string quoted(std::string_view text);

/// Returns a short value as JSON and describes a long one: `"abc"`, `5`, `array with 12 items`.
[[nodiscard]] std::string describe_value(const boost::json::value& value);

/// Returns the same after its kind: `string "abc"`, `integer 5`. Only the kind without
/// `show_values`.
[[nodiscard]] std::string describe_kind(const boost::json::value& value, bool show_values);

/// Names the types of a mask: "string or null".
[[nodiscard]] std::string describe_types(std::uint32_t mask);

/// A label lists no more alternatives beyond this length, and a parameter's label is cut there.
inline constexpr std::size_t kMaxLabelBytes = 200;
/// Describes what a node accepts in a few words: "string", "array of integer", `"fast" | "slow"`.
[[nodiscard]] std::string label_of(const Program& program, NodeIndex node);

/// Returns the first instruction of a node with this operation, or null.
[[nodiscard]] const Instruction* find_instruction(const Program& program, NodeIndex node, Op op);

}  // namespace holdfast::schema
