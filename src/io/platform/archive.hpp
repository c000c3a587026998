#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::platform {

[[nodiscard]] bool is_gzip(std::string_view bytes) noexcept;

/// Decompresses. Nothing if the bytes are not a complete gzip file, or if they expand to more than
/// `max_bytes`.
[[nodiscard]] std::optional<std::string> unzipped(std::string_view bytes, std::size_t max_bytes);

/// Returns the content of a regular file in a tar archive (ustar or pax), by its whole path.
/// Nothing if it is missing or truncated.
[[nodiscard]] std::optional<std::string_view> tar_file(std::string_view archive,
                                                       std::string_view path);

}  // namespace holdfast::platform
