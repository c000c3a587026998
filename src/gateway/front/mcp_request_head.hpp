#pragma once

#include <optional>
#include <string_view>

#include "mcp/incoming.hpp"
#include "net/http_message.hpp"

namespace holdfast::front {

/// What to answer instead, if a request has a head that the endpoint of Streamable HTTP does not
/// serve: its method, the type of its body, or the types that it accepts.
[[nodiscard]] std::optional<net::HttpReply> refused_head(const net::HttpRequest& request);

/// Whether the sender takes an answer of that type. Without an Accept header it takes everything.
[[nodiscard]] bool accepts(const net::HttpRequest& request, std::string_view type);

/// The headers that repeat what the message says; views into the request.
[[nodiscard]] mcp::StandardHeaders standard_headers(const net::HttpRequest& request);

}  // namespace holdfast::front
