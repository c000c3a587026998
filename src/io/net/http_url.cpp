#include "net/http_url.hpp"

#include <optional>
#include <utility>

#include "base/uri.hpp"

namespace holdfast::net {
namespace {

constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kTlsPort = 443;

NetError wrong_url(std::string_view why) {
    return {.code = NetErrc::invalid_request, .message = "the URL " + std::string{why}};
}

std::uint16_t default_port(bool has_tls) {
    return has_tls ? kTlsPort : kPlainPort;
}

/// None if this client does not speak the protocol.
std::optional<bool> tls_of_scheme(std::string_view scheme) {
    if (scheme == "https" || scheme == "wss") {
        return true;
    }
    return scheme == "http" || scheme == "ws" ? std::optional{false} : std::nullopt;
}

}  // namespace

std::string HttpUrl::authority() const {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    std::string result = is_ipv6 ? "[" + host + "]" : host;
    if (port != default_port(has_tls)) {
        result += ':';
        result += std::to_string(port);
    }
    return result;
}

bool HttpUrl::has_same_origin(const HttpUrl& other) const {
    return has_tls == other.has_tls && port == other.port && host == other.host;
}

NetResult<HttpUrl> parsed_url(std::string_view text) {
    auto url = base::parse_url(text);
    if (!url) {
        return wrong_url(url.error().message);
    }
    const auto has_tls = tls_of_scheme(url->scheme);
    if (!has_tls) {
        return wrong_url("has the scheme \"" + url->scheme +
                         "\"; only http, https, ws and wss are known");
    }
    const std::uint16_t port = url->authority.port.value_or(default_port(*has_tls));
    if (port == 0) {
        return wrong_url("has an invalid host or port");
    }
    return HttpUrl{.has_tls = *has_tls,
                   .host = std::move(url->authority.host),
                   .port = port,
                   .target = std::move(url->target)};
}

NetResult<HttpUrl> resolved_url(const HttpUrl& from, std::string_view reference) {
    const std::string text = (from.has_tls ? "https://" : "http://") + from.authority();
    return parsed_url(base::resolve_uri(text + from.target, reference));
}

}  // namespace holdfast::net
