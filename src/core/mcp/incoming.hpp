#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "jsonrpc/message.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/revision.hpp"

namespace holdfast::mcp {

/// The keys of the envelope in `params._meta` of every modern request.
inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";

/// The headers of a POST that the protocol defines, as received; nothing = absent.
struct StandardHeaders {
    std::optional<std::string_view> protocol_version = std::nullopt;
    std::optional<std::string_view> method = std::nullopt;
    std::optional<std::string_view> name = std::nullopt;
};

/// Determines the era of an agent's message from its body. Over HTTP the version header must agree.
/// `headers` is null for transports without headers.
[[nodiscard]] std::variant<Era, ProtocolError> classified(const jsonrpc::Message& message,
                                                          const StandardHeaders* headers);

/// Returns the first fault of a modern request, checked in the order that peers expect: version
/// header against body, envelope, version, standard headers, method. Requires a request that was
/// classified as modern. `headers` is null for transports without headers.
[[nodiscard]] std::optional<ProtocolError> fault_in_modern_request(const jsonrpc::Message& message,
                                                                   const StandardHeaders* headers);

}  // namespace holdfast::mcp
