#pragma once

#include <string_view>

namespace holdfast::surface {

/// Whether the template (RFC 6570) can produce the URI: the literal parts occur in order, and the
/// value of a variable contains no slash unless the expression allows it.
[[nodiscard]] bool matches_template(std::string_view uri, std::string_view uri_template) noexcept;

}  // namespace holdfast::surface
