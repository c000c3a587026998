#pragma once

#include <string>
#include <string_view>

#include "net/net_error.hpp"

namespace holdfast::net {

/// Appends a JSON text as one line: CR and LF between its values become spaces, all other bytes
/// stay, and a newline ends it. Rejects a text with a raw CR or LF inside a string, which is not
/// JSON and could pass as two messages; `out` is then unchanged.
[[nodiscard]] NetResult<void> append_line(std::string& out, std::string_view json);

}  // namespace holdfast::net
