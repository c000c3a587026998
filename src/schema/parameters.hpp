#pragma once

#include <cstddef>
#include <string>

#include "schema/schema.hpp"

namespace holdfast::schema {

/// The properties that an object schema describes, in its order, for an agent to read:
/// `query (string, required), limit (integer), mode ("fast" | "exact")`. Looks through references
/// and `allOf`. Says "none" when there are no properties; when the text would be longer than
/// `max_bytes`, says how many were left out.
[[nodiscard]] std::string describe_parameters(const Schema& schema, std::size_t max_bytes = 2000);

}  // namespace holdfast::schema
