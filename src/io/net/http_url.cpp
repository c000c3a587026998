#include "net/http_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::net {
namespace {

constexpr std::size_t kMaxUrlBytes = std::size_t{8} * 1024;
constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kTlsPort = 443;

NetError wrong_url(std::string_view why) {
    return {.code = NetErrc::invalid_request, .message = "the URL " + std::string{why}};
}

bool is_alpha(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

char lowered(char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character + ('a' - 'A'))
                                                : character;
}

std::string lowered(std::string_view text) {
    std::string result{text};
    std::ranges::transform(result, result.begin(), [](char each) { return lowered(each); });
    return result;
}

bool is_host_name_part(char character) {
    return is_alpha(character) || is_digit(character) || character == '-' || character == '.' ||
           character == '_';
}

bool is_ipv6_part(char character) {
    return is_alpha(character) || is_digit(character) || character == ':' || character == '.' ||
           character == '%';
}

// Characters that may stand in a URL as they are; all others have to be percent-encoded.
bool is_printable(char character) {
    return character > ' ' && character < '\x7f';
}

std::optional<std::string_view> scheme_of(std::string_view text) {
    const std::size_t colon = text.find_first_of(":/?#");
    if (colon == std::string_view::npos || text[colon] != ':' || colon == 0 || !is_alpha(text[0])) {
        return std::nullopt;
    }
    return text.substr(0, colon);
}

NetResult<bool> tls_of_scheme(std::string_view scheme) {
    const std::string name = lowered(scheme);
    if (name == "https" || name == "wss") {
        return true;
    }
    if (name == "http" || name == "ws") {
        return false;
    }
    return wrong_url("has the scheme \"" + name + "\"; only http, https, ws and wss are known");
}

NetResult<std::uint16_t> port_of(std::string_view digits, bool has_tls) {
    if (digits.empty()) {
        return has_tls ? kTlsPort : kPlainPort;
    }
    std::uint16_t port = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [stop, error] = std::from_chars(begin, end, port);
    if (error != std::errc{} || stop != end || port == 0) {
        return wrong_url("has a port that is not a number from 1 to 65535");
    }
    return port;
}

struct HostAndPort {
    std::string_view host = {};
    std::string_view port = {};
};

NetResult<HostAndPort> host_and_port_of(std::string_view authority) {
    HostAndPort parts;
    if (authority.starts_with('[')) {
        const std::size_t bracket = authority.find(']');
        if (bracket == std::string_view::npos) {
            return wrong_url("has an address without its closing bracket");
        }
        parts.host = authority.substr(1, bracket - 1);
        parts.port = authority.substr(bracket + 1);
        if (!parts.port.empty() && !parts.port.starts_with(':')) {
            return wrong_url("has something other than a port behind its address");
        }
    } else {
        parts.host = authority.substr(0, authority.find(':'));
        parts.port = authority.substr(parts.host.size());
    }
    const bool is_address = authority.starts_with('[');
    if (parts.host.empty()) {
        return wrong_url("names no host");
    }
    if (!std::ranges::all_of(parts.host, is_address ? is_ipv6_part : is_host_name_part)) {
        return wrong_url("has a host with characters that no host name has");
    }
    parts.port.remove_prefix(parts.port.empty() ? 0 : 1);
    return parts;
}

// `rest` begins behind the two slashes.
NetResult<HttpUrl> url_of(bool has_tls, std::string_view rest) {
    rest = rest.substr(0, rest.find('#'));
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
    if (authority.find('@') != std::string_view::npos) {
        return wrong_url("has a user name, which would be sent to nobody; use a header");
    }
    auto parts = host_and_port_of(authority);
    if (!parts) {
        return std::move(parts).error();
    }
    auto port = port_of(parts->port, has_tls);
    if (!port) {
        return std::move(port).error();
    }
    HttpUrl url{.has_tls = has_tls, .host = lowered(parts->host), .port = *port};
    const std::string_view target = rest.substr(authority.size());
    url.target = target.starts_with('/') ? "" : "/";
    url.target += target;
    return url;
}

std::optional<NetError> fault_in_text(std::string_view text) {
    if (text.size() > kMaxUrlBytes) {
        return wrong_url("is longer than " + std::to_string(kMaxUrlBytes) + " bytes");
    }
    if (!std::ranges::all_of(text, is_printable)) {
        return wrong_url("has a character that must be percent-encoded");
    }
    return std::nullopt;
}

// RFC 3986, 5.2.4: `.` goes, `..` takes the segment before it with it.
std::string without_dot_segments(std::string_view path) {
    std::vector<std::string_view> segments;
    std::string_view rest = path;
    bool ends_in_directory = false;
    while (!rest.empty()) {
        rest.remove_prefix(1);  // the slash
        const std::string_view segment = rest.substr(0, rest.find('/'));
        rest.remove_prefix(segment.size());
        ends_in_directory = rest.empty() && (segment == "." || segment == "..");
        if (segment == ".." && !segments.empty()) {
            segments.pop_back();
        } else if (segment != "." && segment != "..") {
            segments.push_back(segment);
        }
    }
    std::string result;
    for (const std::string_view segment : segments) {
        result += '/';
        result += segment;
    }
    return result.empty() || ends_in_directory ? result + '/' : result;
}

std::string merged_target(std::string_view base, std::string_view reference) {
    const std::string_view base_path = base.substr(0, base.find('?'));
    if (reference.empty()) {
        return std::string{base};
    }
    if (reference.starts_with('?')) {
        return std::string{base_path} + std::string{reference};
    }
    const std::string_view path = reference.substr(0, reference.find('?'));
    const std::string_view directory =
        path.starts_with('/') ? "" : base_path.substr(0, base_path.rfind('/') + 1);
    std::string merged{directory};
    merged += path;
    merged = without_dot_segments(merged);
    merged += reference.substr(path.size());
    return merged;
}

}  // namespace

std::string HttpUrl::authority() const {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    std::string result = is_ipv6 ? "[" + host + "]" : host;
    if (port != (has_tls ? kTlsPort : kPlainPort)) {
        result += ':';
        result += std::to_string(port);
    }
    return result;
}

bool HttpUrl::has_same_origin(const HttpUrl& other) const {
    return has_tls == other.has_tls && port == other.port && host == other.host;
}

NetResult<HttpUrl> parsed_url(std::string_view text) {
    if (auto fault = fault_in_text(text)) {
        return *std::move(fault);
    }
    const auto scheme = scheme_of(text);
    if (!scheme || !text.substr(scheme->size()).starts_with("://")) {
        return wrong_url("does not begin with http:// or https://");
    }
    auto has_tls = tls_of_scheme(*scheme);
    if (!has_tls) {
        return std::move(has_tls).error();
    }
    return url_of(*has_tls, text.substr(scheme->size() + 3));
}

NetResult<HttpUrl> resolved_url(const HttpUrl& base, std::string_view reference) {
    if (scheme_of(reference)) {
        return parsed_url(reference);
    }
    if (auto fault = fault_in_text(reference)) {
        return *std::move(fault);
    }
    if (reference.starts_with("//")) {
        return url_of(base.has_tls, reference.substr(2));
    }
    HttpUrl url = base;
    url.target = merged_target(base.target, reference.substr(0, reference.find('#')));
    return url;
}

}  // namespace holdfast::net
