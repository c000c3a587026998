#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"

// The checks of every HTTP transport of the fixture before it serves a request.

namespace holdfast::fixture {

/// Refuses requests that a web page of another origin may have sent, and unknown paths.
[[nodiscard]] std::optional<net::HttpReply> refused_by_origin(const net::HttpRequest& request);

/// Returns a JSON-RPC error without an id, as servers send it when their transport refuses.
[[nodiscard]] net::HttpReply transport_error(int status, int code, std::string_view message);

/// Returns whether a client accepts that type.
[[nodiscard]] bool accepts(const net::HttpRequest& request, std::string_view type);

/// Returns a random id of visible ASCII characters.
[[nodiscard]] std::string new_session_id();

}  // namespace holdfast::fixture
