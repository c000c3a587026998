#pragma once

#include <string>

namespace holdfast::platform {

/// Returns 192 random bits of the operating system as printable characters. Callable from any
/// thread.
[[nodiscard]] std::string make_secret();

}  // namespace holdfast::platform
