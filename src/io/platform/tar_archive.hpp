#pragma once

#include <optional>
#include <string_view>

namespace holdfast::platform {

/// The content of a plain file in a tar archive (ustar or pax), by its whole path. Nothing if it is
/// not there or the archive ends in the middle of it.
[[nodiscard]] std::optional<std::string_view> tar_file(std::string_view archive,
                                                       std::string_view path);

}  // namespace holdfast::platform
