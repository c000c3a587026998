#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::platform {

[[nodiscard]] bool is_gzip(std::string_view bytes) noexcept;

/// What was compressed. Nothing if the bytes are no whole gzip file, or hold more than `max_bytes`.
[[nodiscard]] std::optional<std::string> unzipped(std::string_view bytes, std::size_t max_bytes);

}  // namespace holdfast::platform
