#pragma once

#include <string_view>
#include <vector>

#include "schema/compile/program.hpp"

namespace holdfast::schema {

/// What a schema says about the members of an object, gathered over references and `allOf`.
struct Shape {
    std::vector<Property> properties;  ///< In the order of the schema; each name once.
    std::vector<std::string_view> required;
    bool is_closed = false;  ///< Other members are refused.
};

[[nodiscard]] Shape shape_of(const Program& program, NodeIndex node);

/// The kinds that a node lets through, as far as `type`, `const` and `enum` say, seen through
/// references and `allOf`.
[[nodiscard]] std::uint32_t kinds_of(const Program& program, NodeIndex node);

/// The schema that applies to all further items of an array, or kNoNode.
[[nodiscard]] NodeIndex items_of(const Program& program, NodeIndex node);

}  // namespace holdfast::schema
