#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace holdfast::platform {

/// The time of day in milliseconds since the epoch. It may jump; deadlines use a steady clock.
[[nodiscard]] inline std::int64_t wall_clock_ms() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

/// The time since the machine was started in milliseconds, including the time that it was
/// suspended. It never jumps.
[[nodiscard]] inline std::int64_t uptime_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const std::chrono::nanoseconds time =
        std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace holdfast::platform
