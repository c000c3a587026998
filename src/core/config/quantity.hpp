#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "holdfast/resilience/time.hpp"

namespace holdfast::config {

using resilience::Duration;

struct DurationUnit {
    std::string_view name;
    Duration size;
};
/// All units of durations, the largest first.
[[nodiscard]] std::span<const DurationUnit> duration_units();

struct ByteUnit {
    std::string_view name;
    std::size_t size_bytes;
};
/// All units of sizes. Those that `byte_size_text` writes come first, the largest of them at the
/// beginning.
[[nodiscard]] std::span<const ByteUnit> byte_units();

/// "200ms", "30s", "1.5m", "1h"; nothing for another text or for more than ten years.
[[nodiscard]] std::optional<Duration> parsed_duration(std::string_view text);
/// The same for the value of a variable, where a number without a unit is seconds: "60", "0.2".
[[nodiscard]] std::optional<Duration> parsed_variable_duration(std::string_view text);
/// In the largest unit that needs no fraction: "90s", "2m".
[[nodiscard]] std::string duration_text(Duration duration);

/// "512", "64kB", "8MB", "1GB". A kilobyte is 1024 bytes however it is spelled; nothing for
/// another text, a fraction of a byte or more than a million gigabytes.
[[nodiscard]] std::optional<std::size_t> parsed_byte_size(std::string_view text);
[[nodiscard]] std::string byte_size_text(std::size_t size_bytes);

/// `true false 1 0 yes no on off` in any case, as people write them into variables.
[[nodiscard]] std::optional<bool> parsed_flag(std::string_view text);

/// A decimal number and nothing else; nothing for one that is not finite.
[[nodiscard]] std::optional<double> parsed_number(std::string_view text);

}  // namespace holdfast::config
