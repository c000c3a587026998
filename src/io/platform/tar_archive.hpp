#pragma once

#include <optional>
#include <string_view>

namespace holdfast::platform {

/// Returns the content of a regular file in a tar archive (ustar or pax), by its whole path.
/// Nothing if it is missing or truncated.
[[nodiscard]] std::optional<std::string_view> tar_file(std::string_view archive,
                                                       std::string_view path);

}  // namespace holdfast::platform
