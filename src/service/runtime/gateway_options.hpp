#pragma once

#include "dispatch/gateway.hpp"
#include "runtime/loaded_config.hpp"

namespace holdfast::runtime {

/// What a config says about the gateway as a whole.
[[nodiscard]] dispatch::GatewayOptions gateway_options_of(const LoadedConfig& loaded);

}  // namespace holdfast::runtime
