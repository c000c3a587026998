#pragma once

#include "app/loaded_config.hpp"
#include "gateway/gateway.hpp"

namespace holdfast::app {

/// What a config says about the gateway as a whole.
[[nodiscard]] gateway::GatewayOptions gateway_options_of(const LoadedConfig& loaded);

}  // namespace holdfast::app
