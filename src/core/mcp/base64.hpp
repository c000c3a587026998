#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::mcp {

/// Encodes with padding, in the standard alphabet.
[[nodiscard]] std::string base64_of(std::string_view bytes);

/// Decodes; nothing if the text has other characters, a wrong length, wrong padding or unused bits.
[[nodiscard]] std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace holdfast::mcp
