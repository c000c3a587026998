#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/object_reader.hpp"
#include "rest/json_path.hpp"
#include "rest/rest_api.hpp"

// Kinds of values that several keys of a REST backend have.

namespace holdfast::rest {

/// An object of names and texts: a text that is nothing but `{name}` stands for that argument.
void read_named_values(config::ObjectReader& owner, std::string_view key, bool are_headers,
                       std::vector<NamedValue>& into);

/// One path, or a list of them.
void read_paths(config::ObjectReader& owner, std::string_view key, std::vector<JsonPath>& into);

/// Letters, digits and the signs that a name of a header may have.
[[nodiscard]] bool is_header_name(std::string_view name) noexcept;
/// Whether the client or this side writes a header itself.
[[nodiscard]] bool is_reserved_header(std::string_view name) noexcept;

}  // namespace holdfast::rest
