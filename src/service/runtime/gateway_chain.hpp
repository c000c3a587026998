#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::runtime {

/// A gateway can be a server of another one. Longer chains are refused, and so is a gateway that is
/// its own server, directly or through others: it would start itself again and again.
inline constexpr std::size_t kMaxChainedGateways = 4;

/// The variable by which a gateway that runs as a server knows those before it: the digests of
/// their config files, the first one's first.
inline constexpr const char* kChainVariable = "HOLDFAST_CHAIN";

/// The header by which a gateway recognises its own requests.
inline constexpr const char* kGatewayHeader = "Holdfast-Gateway";
/// Random, and the same as long as the process runs.
[[nodiscard]] const std::string& own_gateway_id();

/// Why a gateway with this config must not start behind those of `chain`; nothing if it may.
[[nodiscard]] std::optional<std::string> fault_in_chain(std::string_view chain,
                                                        const std::string& config_file);
/// The chain for the servers of such a gateway.
[[nodiscard]] std::string chain_with(std::string_view chain, const std::string& config_file);

/// Checks the chain of this process, and adds this gateway to the environment for its servers.
/// Returns why it must not start. Call it before there are threads.
[[nodiscard]] std::optional<std::string> join_chain(const std::string& config_file);

}  // namespace holdfast::runtime
