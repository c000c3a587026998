#pragma once

#include <string>
#include <string_view>

#include "net/net_error.hpp"

namespace holdfast::net {

/// Appends a JSON text as one line: CR and LF between its values become spaces, every other byte
/// stays as it is, and a newline ends it. Refuses a text with a raw CR or LF inside a string, which
/// is not JSON and would let the text pretend to be two messages; `out` is unchanged then.
[[nodiscard]] NetResult<void> append_line(std::string& out, std::string_view json);

}  // namespace holdfast::net
