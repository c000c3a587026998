#pragma once

#include <string_view>

#include "jsonrpc/message_writer.hpp"
#include "mcp/incoming.hpp"
#include "net/http_message.hpp"

namespace holdfast::front {

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
