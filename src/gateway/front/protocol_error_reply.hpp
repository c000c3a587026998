#pragma once

#include <string_view>

#include "jsonrpc/message_writer.hpp"
#include "mcp/incoming.hpp"
#include "net/http_message.hpp"

namespace holdfast::front {

// Codes that the official SDKs use for faults of a session; they have no other meaning.
inline constexpr int kSessionFault = -32000;
inline constexpr int kSessionNotFound = -32001;

/// A JSON-RPC error with the HTTP status that goes with it. `id` is JSON; empty = none is known.
[[nodiscard]] net::HttpReply error_reply(int status, std::string_view id,
                                         const jsonrpc::ErrorObject& error);
[[nodiscard]] net::HttpReply error_reply(std::string_view id, const mcp::ProtocolError& fault);

/// The answer to a message that has none of its own.
[[nodiscard]] net::HttpReply accepted();

}  // namespace holdfast::front
