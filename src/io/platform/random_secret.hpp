#pragma once

#include <string>

namespace holdfast::platform {

/// 192 random bits of the system in printable characters. From any thread.
[[nodiscard]] std::string make_secret();

}  // namespace holdfast::platform
