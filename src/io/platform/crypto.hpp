#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::platform {

/// Returns the SHA-256 of the bytes as 64 hexadecimal digits in lower case.
[[nodiscard]] std::string sha256_text(std::string_view bytes);

/// Returns the SHA-512 of the bytes as 128 hexadecimal digits in lower case.
[[nodiscard]] std::string sha512_text(std::string_view bytes);

/// Returns 192 random bits of the operating system as printable characters. Callable from any
/// thread.
[[nodiscard]] std::string make_secret();

/// Returns 64 random bits of the operating system, for generators whose numbers need not be secret.
/// Callable from any thread.
[[nodiscard]] std::uint64_t make_seed();

}  // namespace holdfast::platform
