#include "base/uri.hpp"

#include <algorithm>
#include <boost/url/authority_view.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <charconv>
#include <cstddef>

#include "base/hex.hpp"
#include "base/http_token.hpp"
#include "base/letter_case.hpp"

// Boost.URL reads authorities and addresses, where a mistake lets a stranger in, and encodes. It
// accepts only valid URIs and resolves only against absolute ones; version 1.81 also keeps `..`
// that lead above the root. References between schemas are often neither, so resolution and
// decoding are written here. See docs/decisions/0032-boost-url.md.

namespace holdfast::base {
namespace {

namespace urls = boost::urls;

constexpr std::size_t kMaxUrlBytes = std::size_t{8} * 1024;

bool is_letter(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

/// RFC 3986 also allows `%XX` and punctuation in a name. No resolver knows such a host.
bool is_host_name(std::string_view text) {
    return std::ranges::all_of(text, [](char each) {
        return is_letter(each) || is_digit(each) || each == '-' || each == '.' || each == '_';
    });
}

/// Cuts the zone out of an address such as `[fe80::1%eth0]:80`, which Boost.URL does not know.
/// RFC 6874 writes it behind `%25`; people write `%`. Empty if there is none.
std::string take_zone(std::string& authority) {
    const std::size_t begin = authority.find('%');
    const std::size_t end = authority.find(']');
    if (!authority.starts_with('[') || begin >= end || end == std::string::npos) {
        return {};
    }
    std::string_view zone = std::string_view{authority}.substr(begin + 1, end - begin - 1);
    if (zone.starts_with("25") && zone.size() > 2) {
        zone.remove_prefix(2);
    }
    if (zone.empty() || !is_host_name(zone)) {
        return {};
    }
    std::string taken{zone};
    authority.erase(begin, end - begin);
    return taken;
}

bool is_host(const urls::authority_view& authority) {
    switch (authority.host_type()) {
        case urls::host_type::name: {
            const std::string_view name = authority.encoded_host();
            return !name.empty() && is_host_name(name);
        }
        case urls::host_type::ipv4:
        case urls::host_type::ipv6:
            return true;
        case urls::host_type::none:
        case urls::host_type::ipvfuture:
            break;
    }
    return false;
}

/// None if it is not a number up to 65535.
std::optional<std::uint16_t> port_number(std::string_view digits) {
    std::uint16_t number = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = error == std::errc{} && stop == digits.data() + digits.size();
    return is_number ? std::optional{number} : std::nullopt;
}

/// Without its colon; empty if the text does not begin with one.
std::string_view scheme_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(text.front())) {
        return {};
    }
    const std::string_view scheme = text.substr(0, colon);
    const bool is_scheme = std::ranges::all_of(scheme, [](char each) {
        return is_letter(each) || is_digit(each) || each == '+' || each == '-' || each == '.';
    });
    return is_scheme ? scheme : std::string_view{};
}

/// The five parts of a URI, each with the mark that introduces it.
struct Parts {
    std::string_view scheme = {};     // With its colon.
    std::string_view authority = {};  // With its two slashes.
    std::string_view path = {};
    std::string_view query = {};     // With its question mark.
    std::string_view fragment = {};  // With its hash.
};

std::string_view cut_from(std::string_view& text, std::size_t position) {
    if (position == std::string_view::npos) {
        return {};
    }
    const std::string_view tail = text.substr(position);
    text = text.substr(0, position);
    return tail;
}

Parts parts_of(std::string_view uri) {
    Parts parts;
    parts.fragment = cut_from(uri, uri.find('#'));
    parts.query = cut_from(uri, uri.find('?'));
    if (const std::string_view scheme = scheme_of(uri); !scheme.empty()) {
        parts.scheme = uri.substr(0, scheme.size() + 1);
        uri.remove_prefix(parts.scheme.size());
    }
    if (uri.starts_with("//")) {
        std::string_view rest = uri;
        parts.path = cut_from(rest, rest.find('/', 2));
        parts.authority = rest;
    } else {
        parts.path = uri;
    }
    return parts;
}

// RFC 3986, 5.2.4: `.` is removed, `..` removes the segment before it.
std::string without_dot_segments(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::size_t slash = path.find('/', path.front() == '/' ? 1 : 0);
        const std::string_view segment = path.substr(0, slash);
        path.remove_prefix(segment.size());
        const bool is_last = path.empty();
        if (segment == "/." || segment == ".") {
            out += is_last && segment.size() == 2 ? "/" : "";
        } else if (segment == "/.." || segment == "..") {
            out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
            out += is_last && segment.size() == 3 ? "/" : "";
        } else {
            out += segment;
        }
    }
    return out;
}

std::string merged_path(const Parts& base, std::string_view path) {
    if (path.starts_with('/')) {
        return without_dot_segments(path);
    }
    std::string merged;
    if (!base.authority.empty() && base.path.empty()) {
        merged = "/";
    } else if (const std::size_t slash = base.path.rfind('/'); slash != std::string_view::npos) {
        merged = base.path.substr(0, slash + 1);
    }
    const bool is_rooted = merged.starts_with('/');
    merged += path;
    std::string result = without_dot_segments(merged);
    if (!is_rooted && result.starts_with('/')) {
        result.erase(0, 1);  // "./a" with a relative base stays relative.
    }
    return result;
}

std::string joined(std::string_view scheme, std::string_view authority, std::string_view path,
                   std::string_view tail) {
    std::string out;
    out.reserve(scheme.size() + authority.size() + path.size() + tail.size());
    out += scheme;
    out += authority;
    out += path;
    out += tail;
    return out;
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
    std::string without_zone{text};
    const std::string zone = take_zone(without_zone);
    const auto parsed = urls::parse_authority(without_zone);
    if (!parsed || parsed->has_userinfo() || !is_host(*parsed)) {
        return std::nullopt;
    }
    Authority authority{.host = lower_case(std::string_view{parsed->host_address()})};
    if (!zone.empty()) {
        authority.host.append("%").append(zone);
    }
    if (const std::string_view digits = parsed->port(); !digits.empty()) {
        authority.port = port_number(digits);
        if (!authority.port) {
            return std::nullopt;
        }
    }
    return authority;
}

std::string_view without_port(std::string_view authority) {
    const std::size_t bracket = authority.rfind(']');
    const std::size_t colon = authority.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    return has_port ? authority.substr(0, colon) : authority;
}

resilience::Result<Url, UrlFault> parse_url(std::string_view text) {
    if (text.size() > kMaxUrlBytes) {
        return UrlFault{"is longer than 8192 bytes"};
    }
    if (!is_visible(text)) {
        return UrlFault{"has a character that must be percent-encoded"};
    }
    const std::string_view scheme = scheme_of(text);
    if (scheme.empty() || !text.substr(scheme.size()).starts_with("://")) {
        return UrlFault{"does not begin with a scheme and a host, as in http://host"};
    }
    const std::string_view rest = split_fragment(text.substr(scheme.size() + 3)).document;
    const std::string_view host_and_port = rest.substr(0, rest.find_first_of("/?"));
    if (host_and_port.find('@') != std::string_view::npos) {
        return UrlFault{"has a user name, which would not be sent; use a header"};
    }
    auto authority = parse_authority(host_and_port);
    if (!authority) {
        return UrlFault{"has an invalid host or port"};
    }
    Url url{.scheme = lower_case(scheme), .authority = *std::move(authority)};
    const std::string_view target = rest.substr(host_and_port.size());
    url.target = target.starts_with('/') ? "" : "/";
    url.target += target;
    return url;
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
    const Parts from = parts_of(base);
    const Parts to = parts_of(reference);
    const std::string tail = joined(to.query, to.fragment, {}, {});
    if (!to.scheme.empty()) {
        const bool is_hierarchical = !to.authority.empty();
        return joined(to.scheme, to.authority,
                      is_hierarchical ? without_dot_segments(to.path) : std::string{to.path}, tail);
    }
    if (!to.authority.empty()) {
        return joined(from.scheme, to.authority, without_dot_segments(to.path), tail);
    }
    if (to.path.empty()) {
        const std::string_view query = to.query.empty() ? from.query : to.query;
        return joined(from.scheme, from.authority, from.path, joined(query, to.fragment, {}, {}));
    }
    return joined(from.scheme, from.authority, merged_path(from, to.path), tail);
}

SplitUri split_fragment(std::string_view uri) {
    const std::size_t hash = uri.find('#');
    if (hash == std::string_view::npos) {
        return {.document = uri, .fragment = {}};
    }
    return {.document = uri.substr(0, hash), .fragment = uri.substr(hash + 1)};
}

std::string percent_encoded(std::string_view text) {
    return urls::encode(text, urls::unreserved_chars);
}

std::string percent_decoded(std::string_view text) {
    constexpr std::size_t kCodeBytes = 3;
    std::string decoded;
    decoded.reserve(text.size());
    while (!text.empty()) {
        const bool may_be_code = text.front() == '%' && text.size() >= kCodeBytes;
        const int high = may_be_code ? hex_digit_value(text[1]) : -1;
        const int low = may_be_code ? hex_digit_value(text[2]) : -1;
        const bool is_code = high >= 0 && low >= 0;
        decoded += is_code ? static_cast<char>(high * 16 + low) : text.front();
        text.remove_prefix(is_code ? kCodeBytes : 1);
    }
    return decoded;
}

std::optional<std::string_view> query_value(std::string_view target, std::string_view key) {
    const std::size_t mark = target.find('?');
    std::string_view rest =
        mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (pair.substr(0, equals) == key) {
            return pair.substr(std::min(equals + 1, pair.size()));
        }
    }
    return std::nullopt;
}

bool is_loopback_host(std::string_view host) {
    if (host == "localhost" || host == "127.0.0.1") {
        return true;  // asked for every request, and nearly always one of these
    }
    if (host.starts_with('[') && host.ends_with(']')) {
        const auto address = urls::parse_ipv6_address(host.substr(1, host.size() - 2));
        return address && address->is_loopback();
    }
    if (const auto address = urls::parse_ipv4_address(host)) {
        return address->is_loopback();
    }
    const auto address = urls::parse_ipv6_address(host);
    return address && address->is_loopback();
}

}  // namespace holdfast::base
