#pragma once

#include "config/node.hpp"

namespace holdfast::runtime {

/// The JSON Schema (2020-12) of a config file, made from the tables that its readers use. A text
/// may have references to variables wherever the gateway fills them in.
[[nodiscard]] config::Node config_schema();

}  // namespace holdfast::runtime
