#include "net/address.hpp"

#include <charconv>

namespace holdfast::net {

bool Address::is_loopback() const {
    return host == "::1" || host == "localhost" || host.starts_with("127.");
}

std::string Address::text() const {
    const bool is_v6 = host.find(':') != std::string::npos;
    return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Address> parsed_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return std::nullopt;
    }
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool has_brackets = host.starts_with('[') && host.ends_with(']');
    if (has_brackets) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        return std::nullopt;
    }
    Address address{.host = host == "localhost" ? "127.0.0.1" : std::string{host}};
    const char* begin = port.data();
    const char* end = begin + port.size();
    const auto [rest, error] = std::from_chars(begin, end, address.port);
    const bool is_whole = error == std::errc{} && rest == end;
    return is_whole && !host.empty() ? std::optional{address} : std::nullopt;
}

std::string fault_in_address(const std::string& text) {
    return parsed_address(text) ? std::string{}
                                : "\"" + text + "\" is no address; write it like 127.0.0.1:7332.";
}

}  // namespace holdfast::net
