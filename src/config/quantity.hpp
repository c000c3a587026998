#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/time.hpp"

namespace holdfast::config {

using resilience::Duration;

/// "200ms", "30s", "1.5m", "1h"; nothing when the text is no duration of at most ten years.
[[nodiscard]] std::optional<Duration> parsed_duration(std::string_view text);
/// In the largest unit that needs no fraction: "90s", "2m".
[[nodiscard]] std::string duration_text(Duration duration);

/// "512", "64kB", "8MB", "1GB". A kilobyte is 1024 bytes however it is spelled; nothing when the
/// text is no whole number of bytes up to a million gigabytes.
[[nodiscard]] std::optional<std::size_t> parsed_byte_size(std::string_view text);
[[nodiscard]] std::string byte_size_text(std::size_t size_bytes);

/// A decimal number and nothing else; nothing for one that is not finite.
[[nodiscard]] std::optional<double> parsed_number(std::string_view text);

}  // namespace holdfast::config
