#include "support/fixture_server/http_checks.hpp"

#include <array>
#include <random>

#include "jsonrpc/message_writer.hpp"

namespace holdfast::fixture {
namespace {

/// Returns whether an authority, with or without a port, is this machine.
bool is_local(std::string_view authority) {
    for (const std::string_view host : {"localhost", "127.0.0.1", "[::1]"}) {
        if (authority == host ||
            (authority.starts_with(host) && authority.substr(host.size()).starts_with(':'))) {
            return true;
        }
    }
    return false;
}

bool is_local_origin(std::string_view origin) {
    const std::size_t mark = origin.find("://");
    return mark != std::string_view::npos && is_local(origin.substr(mark + 3));
}

}  // namespace

std::optional<net::HttpReply> refused_by_origin(const net::HttpRequest& request) {
    const auto host = request.headers.find("Host");
    const auto origin = request.headers.find("Origin");
    if (!host || !is_local(*host) || (origin && !is_local_origin(*origin))) {
        return transport_error(403, -32000, "Forbidden: not a request of this machine");
    }
    return std::nullopt;
}

net::HttpReply transport_error(int status, int code, std::string_view message) {
    return {.status = status, .body = jsonrpc::error_text({}, {code, message, {}})};
}

bool accepts(const net::HttpRequest& request, std::string_view type) {
    const std::string_view accepted = request.headers.find("Accept").value_or("*/*");
    const std::string family = std::string{type.substr(0, type.find('/'))} + "/*";
    return accepted.find(type) != std::string_view::npos ||
           accepted.find("*/*") != std::string_view::npos ||
           accepted.find(family) != std::string_view::npos;
}

std::string new_session_id() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::random_device random;
    std::string id;
    for (int index = 0; index < 32; ++index) {
        id.push_back(kDigits[random() % kDigits.size()]);
    }
    return id;
}

}  // namespace holdfast::fixture
