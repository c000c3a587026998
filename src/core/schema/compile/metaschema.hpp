#pragma once

#include <string_view>

namespace holdfast::schema {

inline constexpr std::string_view kDialectUri = "https://json-schema.org/draft/2020-12/schema";

/// Returns the text of a meta-schema of 2020-12, or an empty view for any other URI.
[[nodiscard]] std::string_view built_in_document(std::string_view uri);

}  // namespace holdfast::schema
