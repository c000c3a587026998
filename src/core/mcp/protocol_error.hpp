#pragma once

#include <string>

namespace holdfast::mcp {

/// The codes that MCP adds to those of JSON-RPC.
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;        // legacy only
inline constexpr int kUrlElicitationRequired = -32042;  // 2025-11-25 only
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

/// The refusal of a request that violates the protocol: what to answer over HTTP and in JSON-RPC.
/// Errors that occur later in the call have HTTP status 200.
struct ProtocolError {
    int http_status = 400;
    int code = kInvalidParams;
    std::string message = {};
    std::string data = {};  ///< JSON; empty = none.
};

}  // namespace holdfast::mcp
