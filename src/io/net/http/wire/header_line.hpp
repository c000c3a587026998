#pragma once

#include <cstdint>
#include <string_view>

#include "net/http_message.hpp"

namespace holdfast::net {

enum class HeaderLineFault : std::uint8_t {
    none,
    name,   ///< The line does not begin with a token and a colon.
    value,  ///< The value has a control character, or its line does not end in CR LF.
};

/// The views point into the text that was parsed. They mean nothing after a fault.
struct HeaderLine {
    HttpHeader header = {};
    KnownHeader known = KnownHeader::none;
    HeaderLineFault fault = HeaderLineFault::none;
};

/// Removes a header line with its CR LF from the front of `rest`. After a fault, `rest` is
/// unchanged.
[[nodiscard]] HeaderLine take_header_line(std::string_view& rest) noexcept;

}  // namespace holdfast::net
