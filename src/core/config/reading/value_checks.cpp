#include "config/reading/value_checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"

namespace holdfast::config {
namespace {

constexpr std::size_t kMaxServerNameBytes = 64;

bool is_control(char one) noexcept {
    const auto byte = static_cast<unsigned char>(one);
    return byte < 0x20U || byte == 0x7FU;
}

bool has_space_or_control(std::string_view text) noexcept {
    return std::ranges::any_of(text, [](char one) { return one == ' ' || is_control(one); });
}

/// What follows "scheme://" when the scheme is one of the two; schemes have no case.
std::string_view behind_scheme(std::string_view url, std::string_view plain,
                               std::string_view secure) {
    const std::size_t mark = url.find("://");
    if (mark == std::string_view::npos) {
        return {};
    }
    const std::string_view scheme = url.substr(0, mark);
    const bool is_known =
        base::equals_ignoring_case(scheme, plain) || base::equals_ignoring_case(scheme, secure);
    return is_known ? url.substr(mark + 3) : std::string_view{};
}

bool has_host(std::string_view rest) noexcept {
    return !rest.empty() && std::string_view{"/?#:@"}.find(rest.front()) == std::string_view::npos;
}

}  // namespace

std::string_view http_url_fault(std::string_view url) {
    if (has_space_or_control(url)) {
        return "the URL contains a space or control character; write %20 or remove it";
    }
    return has_host(behind_scheme(url, "http", "https"))
               ? std::string_view{}
               : "must be a URL that begins with http:// or https:// and a host";
}

std::string_view websocket_url_fault(std::string_view url) {
    if (has_space_or_control(url)) {
        return "the URL contains a space or control character; write %20 or remove it";
    }
    return has_host(behind_scheme(url, "ws", "wss"))
               ? std::string_view{}
               : "must be a URL that begins with ws:// or wss:// and a host";
}

bool is_websocket_url(std::string_view url) {
    return !behind_scheme(url, "ws", "wss").empty();
}

std::string_view header_fault(std::string_view name, std::string_view value) {
    if (!base::is_token(name)) {
        return "invalid header name; use letters, digits and \"-\"";
    }
    return base::is_header_value(value)
               ? std::string_view{}
               : "the value contains a line break or control character; remove it";
}

std::string_view variable_fault(std::string_view name) {
    return name.empty() || name.find('=') != std::string_view::npos
               ? "invalid variable name; it must not be empty or contain \"=\""
               : std::string_view{};
}

std::string_view server_name_fault(std::string_view name) {
    if (name.empty()) {
        return "a server needs a name";
    }
    if (std::ranges::any_of(name, is_control)) {
        return "the name contains a control character; remove it";
    }
    return name.size() > kMaxServerNameBytes ? "the name is longer than 64 bytes; shorten it"
                                             : std::string_view{};
}

std::string_view origin_fault(std::string_view origin) {
    const std::size_t mark = origin.find("://");
    const bool is_origin = mark != std::string_view::npos && mark > 0 &&
                           has_host(origin.substr(mark + 3)) && !has_space_or_control(origin) &&
                           origin.find_first_of("/?#", mark + 3) == std::string_view::npos;
    return is_origin ? std::string_view{}
                     : "must be an origin, as in \"https://host\" or \"http://host:8080\", without "
                       "a path";
}

std::string_view host_fault(std::string_view host) {
    const bool is_host = !host.empty() && !has_space_or_control(host) &&
                         host.find_first_of("/?#@") == std::string_view::npos;
    return is_host ? std::string_view{} : "must be a host name, such as \"gateway.example\"";
}

std::string_view listen_path_fault(std::string_view path) {
    const bool is_path = path.starts_with('/') && !has_space_or_control(path) &&
                         path.find_first_of("?#") == std::string_view::npos;
    constexpr std::array<std::string_view, 4> kAgentPaths{"/mcp", "/ws", "/sse", "/messages"};
    if (std::ranges::find(kAgentPaths, path) != kAgentPaths.end()) {
        return "is the path for agents; choose another one, such as \"/bridge/tab\"";
    }
    return is_path ? std::string_view{} : "must be a path, such as \"/bridge/tab\"";
}

}  // namespace holdfast::config
