#pragma once

#include <optional>

#include "config/object_reader.hpp"
#include "rest/openapi.hpp"
#include "rest/read_rest_api.hpp"

namespace holdfast::rest {

/// Reads the key `openapi`: the name of a file, or an object with `file` or `document` and filters.
/// Returns nothing if the key is absent or after a fault.
[[nodiscard]] std::optional<OpenApiTools> read_openapi_section(config::ObjectReader& owner,
                                                               const FileReader& read_file);

[[nodiscard]] config::Node openapi_schema();

}  // namespace holdfast::rest
