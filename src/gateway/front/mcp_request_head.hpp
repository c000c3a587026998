#pragma once

#include <optional>
#include <string_view>

#include "mcp/incoming.hpp"
#include "net/http_message.hpp"

namespace holdfast::front {

/// Returns the reply to a request that the Streamable HTTP endpoint does not serve, because of its
/// method, its content type or the types that it accepts.
[[nodiscard]] std::optional<net::HttpReply> refused_head(const net::HttpRequest& request);

/// Whether the client accepts answers of this type. Without an Accept header it accepts all types.
[[nodiscard]] bool accepts(const net::HttpRequest& request, std::string_view type);

/// Returns the headers that repeat parts of the message; views into the request.
[[nodiscard]] mcp::StandardHeaders standard_headers(const net::HttpRequest& request);

}  // namespace holdfast::front
