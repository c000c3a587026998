#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"

// URLs and their parts (RFC 3986), for all modules. Only uri.cpp sees Boost.URL.

namespace holdfast::base {

/// Host and port, as in a URL, a `Host` header or an address to listen on.
struct Authority {
    std::string host = {};                   ///< In lower case and without brackets; not empty.
    std::optional<std::uint16_t> port = {};  ///< None if there are no digits behind the host.
};

/// The parts of `example.com:8080`, `127.0.0.1` or `[::1]:80`. None if the host is missing or has
/// characters that no host name has, the port is above 65535, or there is a user name.
[[nodiscard]] std::optional<Authority> parse_authority(std::string_view text);

/// The host in a text such as `[::1]:80` without a copy, not validated: `[::1]`.
[[nodiscard]] std::string_view without_port(std::string_view authority);

struct Url {
    std::string scheme = {};  ///< In lower case.
    Authority authority = {};
    std::string target = {};  ///< Path and query, at least `/`; the fragment is omitted.
};

struct UrlFault {
    std::string_view message = {};  ///< Continues "the URL"; of static storage.
};

/// The parts of an absolute URL with a host. The path and the query are not changed: any visible
/// ASCII is accepted there, because users copy URLs that are not valid everywhere.
[[nodiscard]] resilience::Result<Url, UrlFault> parse_url(std::string_view text);

/// Resolves a reference against a base as RFC 3986 section 5.2 says. Both may be any text: schemas
/// without an absolute `$id` refer to each other by relative names.
[[nodiscard]] std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
    std::string_view document = {};  ///< All before the first '#'.
    std::string_view fragment = {};  ///< All after it; empty when there is none.
};

[[nodiscard]] SplitUri split_fragment(std::string_view uri);

/// The text with every byte as `%XX` that is not a letter, a digit, `-`, `.`, `_` or `~`. The
/// result fits into one segment of a path, and into a name or value of a query.
[[nodiscard]] std::string percent_encoded(std::string_view text);
/// Replaces `%XX` by its byte; anything else stays as it is, `+` and broken codes included.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// The value of the first parameter `key` in the query of a target such as `/path?a=1&b=2`, not
/// decoded; empty if it has none. None if the query has no such parameter.
[[nodiscard]] std::optional<std::string_view> query_value(std::string_view target,
                                                          std::string_view key);

/// Whether a host in lower case can mean only this machine: `localhost` or a loopback address such
/// as `127.0.0.2`, `::1` or `[::1]`. Any other name is resolved by someone else, `127.example`
/// included.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace holdfast::base
