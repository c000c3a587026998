#pragma once

#include <string>
#include <string_view>

namespace holdfast::platform {

/// The SHA-256 of the bytes in 64 small hexadecimal digits.
[[nodiscard]] std::string sha256_text(std::string_view bytes);

}  // namespace holdfast::platform
