#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::config {

/// Where a text stops being UTF-8; its size when it does not.
[[nodiscard]] std::size_t valid_utf8_bytes(std::string_view text) noexcept;

/// Appends a character; it must be a Unicode scalar value.
void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace holdfast::config
