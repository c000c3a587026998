#pragma once

#include <string_view>

namespace holdfast::platform {

/// Writes all of the content, and waits for the disk. False if a write fails.
[[nodiscard]] bool write_all(int descriptor, std::string_view content);

}  // namespace holdfast::platform
