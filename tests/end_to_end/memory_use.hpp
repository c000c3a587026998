#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "support/temporary_folder.hpp"

namespace holdfast::test {

/// What a gateway may keep in memory after it was fed nonsense. A few messages of the greatest size
/// fit in; a leak of what a test sends does not.
inline constexpr std::size_t kMaxMemoryBytes = std::size_t{150} * 1024 * 1024;

/// The memory that a process has now (VmRSS).
[[nodiscard]] inline std::size_t memory_use_bytes(pid_t pid) {
    constexpr std::string_view kMark = "VmRSS:";
    const std::string status = content_of_file("/proc/" + std::to_string(pid) + "/status");
    const std::size_t place = status.find(kMark);
    EXPECT_NE(place, std::string::npos) << "it has gone";
    return place == std::string::npos
               ? 0
               : std::strtoul(status.c_str() + place + kMark.size(), nullptr, 10) * 1024;
}

}  // namespace holdfast::test
