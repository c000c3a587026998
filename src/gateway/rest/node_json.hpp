#pragma once

#include <string>

#include "config/node.hpp"

namespace holdfast::rest {

/// Returns a config value as JSON. Numbers keep their spelling and members their order.
[[nodiscard]] std::string json_of(const config::Node& value);

}  // namespace holdfast::rest
