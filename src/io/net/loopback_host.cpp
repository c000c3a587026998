#include "net/loopback_host.hpp"

#include <boost/asio/ip/address.hpp>

namespace holdfast::net {

namespace ip = boost::asio::ip;

std::string_view without_port(std::string_view host) {
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    return has_port ? host.substr(0, colon) : host;
}

bool is_loopback_name(std::string_view name) {
    if (name == "localhost" || name == "127.0.0.1") {
        return true;
    }
    boost::system::error_code error;
    if (name.starts_with('[') && name.ends_with(']')) {
        const auto address = ip::make_address_v6(name.substr(1, name.size() - 2), error);
        return !error && address.scope_id() == 0 && address.is_loopback();
    }
    const auto address = ip::make_address_v4(name, error);
    return !error && address.is_loopback();
}

}  // namespace holdfast::net
