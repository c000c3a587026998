#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

// What every HTTP transport of the fixture looks at before it serves a request.

namespace holdfast::fixture {

/// Refuses requests that a web page of another origin may have sent, and paths that are not served.
[[nodiscard]] std::optional<net::HttpReply> refused_by_origin(const net::HttpRequest& request);

/// A JSON-RPC error without an id as an answer, as servers do whose transport refuses.
[[nodiscard]] net::HttpReply transport_error(int status, int code, std::string_view message);

/// Whether a client accepts that type.
[[nodiscard]] bool accepts(const net::HttpRequest& request, std::string_view type);

/// Hard to guess, of visible ASCII.
[[nodiscard]] std::string new_session_id();

}  // namespace holdfast::fixture
