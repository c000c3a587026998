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

/// Of `127.0.0.1:7332`, `[::1]:0` or `localhost:7332`; nothing if it is none of these.
[[nodiscard]] std::optional<Address> parsed_address(std::string_view text);
/// What is wrong with it, for whoever wrote it; empty if nothing is.
[[nodiscard]] std::string fault_in_address(const std::string& text);

}  // namespace holdfast::net
