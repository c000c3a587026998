#pragma once

#include <string>

#include "config/node.hpp"

namespace holdfast::rest {

/// A value of a config as JSON, numbers as they are written and members in their order.
[[nodiscard]] std::string json_of(const config::Node& value);

}  // namespace holdfast::rest
