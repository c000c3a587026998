#pragma once

#include <string_view>

namespace holdfast::fixture {

/// A picture of one red pixel.
inline constexpr std::string_view kPngBase64 =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAA"
    "AElFTkSuQmCC";

/// A millisecond of silence.
inline constexpr std::string_view kWavBase64 =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

}  // namespace holdfast::fixture
