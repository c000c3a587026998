#pragma once

#include <string>

#include "config/node.hpp"

namespace holdfast::config {

/// A value as JSON, numbers as they are written and members in their order.
[[nodiscard]] std::string json_of(const Node& value);
/// The same over several lines, indented by two spaces.
[[nodiscard]] std::string indented_json_of(const Node& value);

}  // namespace holdfast::config
