#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "config/config.hpp"

namespace holdfast::runtime {

/// Finds and reads the config: the given file, else `./.mcp.json`, else `holdfast/config.json` in
/// the user's config folder. Nothing if there is none or it is not valid; why is told on `log`.
[[nodiscard]] std::optional<config::Config> load_config(const std::string& file, std::ostream& log);

}  // namespace holdfast::runtime
