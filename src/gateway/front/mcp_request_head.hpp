#pragma once

#include <optional>
#include <string_view>

#include "jsonrpc/message_writer.hpp"
#include "mcp/incoming.hpp"
#include "net/http_message.hpp"

// The HTTP side of an MCP request: which heads are served, and replies that need no session.

namespace holdfast::front {

/// Returns the reply to a request that the Streamable HTTP endpoint does not serve, because of its
/// method, its content type or the types that it accepts.
[[nodiscard]] std::optional<net::HttpReply> refused_head(const net::HttpRequest& request);

/// Whether the client accepts answers of this type. Without an Accept header it accepts all types.
[[nodiscard]] bool accepts(const net::HttpRequest& request, std::string_view type);

/// Returns the headers that repeat parts of the message; views into the request.
[[nodiscard]] mcp::StandardHeaders standard_headers(const net::HttpRequest& request);

// Codes that the official SDKs use for session errors; they have no other meaning.
inline constexpr int kSessionFault = -32000;
inline constexpr int kSessionNotFound = -32001;

/// Returns a JSON-RPC error with its HTTP status. `id` is JSON; empty = unknown.
[[nodiscard]] net::HttpReply error_reply(int status, std::string_view id,
                                         const jsonrpc::ErrorObject& error);
[[nodiscard]] net::HttpReply error_reply(std::string_view id, const mcp::ProtocolError& fault);

/// Returns the reply to a message that has no answer.
[[nodiscard]] net::HttpReply accepted();

}  // namespace holdfast::front
