#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Where to listen.
struct Address {
    std::string host = {};  ///< Without brackets.
    std::uint16_t port = 0;

    [[nodiscard]] bool is_loopback() const;
    [[nodiscard]] std::string text() const;
};

/// Parses `127.0.0.1:7332`, `[::1]:0` or `localhost:7332`. Returns nothing for other forms.
[[nodiscard]] std::optional<Address> parsed_address(std::string_view text);
/// The error message for an invalid address; empty if the address is valid.
[[nodiscard]] std::string fault_in_address(const std::string& text);

}  // namespace holdfast::net
