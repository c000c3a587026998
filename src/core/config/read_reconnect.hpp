#pragma once

#include "config/object_reader.hpp"
#include "config/server_config.hpp"

namespace holdfast::config {

/// Reads the key `reconnect` of a server's entry or of a preset.
[[nodiscard]] ReconnectOptions read_reconnect(ObjectReader& owner);

}  // namespace holdfast::config
