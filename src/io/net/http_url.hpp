#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/net_error.hpp"

namespace holdfast::net {

/// An `http`, `https`, `ws` or `wss` URL, taken apart.
struct HttpUrl {
    bool has_tls = false;
    std::string host = {};  ///< Without brackets.
    std::uint16_t port = 0;
    std::string target = "/";  ///< Path and query.

    [[nodiscard]] std::string authority() const;  ///< As in a `Host` header.
    [[nodiscard]] bool has_same_origin(const HttpUrl& other) const;

    friend bool operator==(const HttpUrl&, const HttpUrl&) = default;
};

/// Fails with `invalid_request` and a sentence that names the fault. User names in URLs are
/// refused; a fragment is dropped.
[[nodiscard]] NetResult<HttpUrl> parsed_url(std::string_view text);
/// What a relative reference such as `/messages?id=1` means at that URL. It may name another
/// origin: the caller compares.
[[nodiscard]] NetResult<HttpUrl> resolved_url(const HttpUrl& from, std::string_view reference);

}  // namespace holdfast::net
