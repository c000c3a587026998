#pragma once

#include <chrono>
#include <cstdint>

namespace holdfast::platform {

/// The time of day in milliseconds since the epoch. It may jump; deadlines use a steady clock.
[[nodiscard]] inline std::int64_t wall_clock_ms() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

}  // namespace holdfast::platform
