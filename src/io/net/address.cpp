#include "net/address.hpp"

#include "base/uri.hpp"

namespace holdfast::net {

bool Address::is_loopback() const {
    return base::is_loopback_host(host);
}

std::string Address::text() const {
    const bool is_v6 = host.find(':') != std::string::npos;
    return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Address> parsed_address(std::string_view text) {
    const auto authority = base::parse_authority(text);
    if (!authority || !authority->port) {
        return std::nullopt;
    }
    return Address{.host = authority->host == "localhost" ? "127.0.0.1" : authority->host,
                   .port = *authority->port};
}

std::string fault_in_address(const std::string& text) {
    return parsed_address(text)
               ? std::string{}
               : "invalid address \"" + text + "\"; expected HOST:PORT, for example 127.0.0.1:7332";
}

}  // namespace holdfast::net
