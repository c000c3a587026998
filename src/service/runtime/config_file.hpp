#pragma once

#include <optional>
#include <string>

#include "config/config.hpp"
#include "runtime/config_messages.hpp"

namespace holdfast::runtime {

/// Finds and reads the config: the given file, else `./.mcp.json` if the user trusts it, else
/// `holdfast/config.json` in the user's config folder. Returns nothing if there is none or it is
/// invalid. Adds why, and what looks wrong, to the messages. With `needs_trust` the given file was
/// found in the current folder, and must be trusted as it is now.
[[nodiscard]] std::optional<config::Config> load_config(const std::string& file,
                                                        ConfigMessages& messages,
                                                        bool needs_trust = false);

}  // namespace holdfast::runtime
