#pragma once

#include <string_view>
#include <vector>

#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// What a schema says about the members of an object, collected over references and `allOf`.
struct Shape {
    std::vector<Property> properties;  ///< In the order of the schema; each name once.
    std::vector<std::string_view> required;
    bool is_closed = false;  ///< Other members are rejected.
};

[[nodiscard]] Shape shape_of(const Program& program, NodeIndex node);

/// Returns the kinds of values that a node accepts according to `type`, `const` and `enum`,
/// including references and `allOf`.
[[nodiscard]] std::uint32_t kinds_of(const Program& program, NodeIndex node);

/// Returns the schema of all items after the prefix of an array, or kNoNode.
[[nodiscard]] NodeIndex items_of(const Program& program, NodeIndex node);

}  // namespace holdfast::schema
