#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "jsonrpc/message.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/revision.hpp"

namespace holdfast::mcp {

/// The keys of the envelope that every modern request carries in `params._meta`.
inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";

/// The headers of a POST that the protocol gives a meaning to, as they came; nothing = absent.
struct StandardHeaders {
    std::optional<std::string_view> protocol_version = std::nullopt;
    std::optional<std::string_view> method = std::nullopt;
    std::optional<std::string_view> name = std::nullopt;
};

/// Which era a message of an agent belongs to, told by its body; over HTTP the version header is a
/// cross-check. `headers` is null where the transport has none.
[[nodiscard]] std::variant<Era, ProtocolError> classified(const jsonrpc::Message& message,
                                                          const StandardHeaders* headers);

/// What is wrong with a modern request, in the order in which peers expect it to be found: version
/// header against body, envelope, version, standard headers, method. Requires a request that was
/// classified as modern. `headers` is null where the transport has none.
[[nodiscard]] std::optional<ProtocolError> fault_in_modern_request(const jsonrpc::Message& message,
                                                                   const StandardHeaders* headers);

}  // namespace holdfast::mcp
