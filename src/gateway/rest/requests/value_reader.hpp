#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/object_reader.hpp"
#include "rest/json_path.hpp"
#include "rest/rest_api.hpp"

// Kinds of values that several keys of an HTTP API have.

namespace holdfast::rest {

/// Reads an object of names and texts. A text that consists of `{name}` alone stands for that
/// argument.
void read_named_values(config::ObjectReader& owner, std::string_view key, bool are_headers,
                       std::vector<NamedValue>& into);

[[nodiscard]] config::Node named_values_schema();

/// One path, or a list of them.
void read_paths(config::ObjectReader& owner, std::string_view key, std::vector<JsonPath>& into);
[[nodiscard]] config::Node paths_schema();

/// Whether the HTTP client or the gateway sets this header itself.
[[nodiscard]] bool is_reserved_header(std::string_view name) noexcept;

}  // namespace holdfast::rest
