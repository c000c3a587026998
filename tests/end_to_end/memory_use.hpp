#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "support/temporary_folder.hpp"

namespace holdfast::test {

/// The memory limit of a gateway after invalid input. It allows some messages of the maximum size,
/// but not a leak of what a test sends.
inline constexpr std::size_t kMaxMemoryBytes = std::size_t{150} * 1024 * 1024;

/// Returns the current memory of a process (VmRSS).
[[nodiscard]] inline std::size_t memory_use_bytes(pid_t pid) {
    constexpr std::string_view kMark = "VmRSS:";
    const std::string status = content_of_file("/proc/" + std::to_string(pid) + "/status");
    const std::size_t place = status.find(kMark);
    EXPECT_NE(place, std::string::npos) << "the process has ended";
    return place == std::string::npos
               ? 0
               : std::strtoul(status.c_str() + place + kMark.size(), nullptr, 10) * 1024;
}

}  // namespace holdfast::test
