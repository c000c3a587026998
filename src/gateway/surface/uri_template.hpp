#pragma once

#include <string_view>

namespace holdfast::surface {

/// Whether the uri can have come from the template (RFC 6570): the literal parts occur in order,
/// and what stands for a variable has no slash unless the expression allows it.
[[nodiscard]] bool matches_template(std::string_view uri, std::string_view uri_template) noexcept;

}  // namespace holdfast::surface
