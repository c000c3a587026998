#pragma once

#include <string_view>

namespace holdfast::surface {

/// Whether the template (RFC 6570) can produce the URI: the literal parts occur in order, and the
/// value of a variable contains no slash unless the expression allows it.
[[nodiscard]] bool matches_template(std::string_view uri, std::string_view uri_template) noexcept;

/// Whether the scheme and the first segment after it are literal, so that the template belongs to a
/// part of all URIs. A template like `{+uri}` or `file:///{+path}` would take the URIs of others.
[[nodiscard]] bool has_literal_beginning(std::string_view uri_template) noexcept;

}  // namespace holdfast::surface
