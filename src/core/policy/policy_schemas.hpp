#pragma once

#include "config/node.hpp"

namespace holdfast::policy {

// The JSON Schemas of the sections that this module reads, made from the tables of their readers.

[[nodiscard]] config::Node policies_schema();
[[nodiscard]] config::Node classes_schema();
[[nodiscard]] config::Node circuits_schema();
[[nodiscard]] config::Node rules_schema();

}  // namespace holdfast::policy
