#pragma once

#include "dispatch/gateway.hpp"
#include "runtime/loaded_config.hpp"

namespace holdfast::runtime {

/// Returns the options of the gateway from a config.
[[nodiscard]] dispatch::GatewayOptions gateway_options_of(const LoadedConfig& loaded);

}  // namespace holdfast::runtime
