#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "config/config.hpp"

namespace holdfast::app {

/// Finds and reads the config: the given file, else `./.mcp.json`, else `holdfast/config.json` in
/// the user's config folder. Nothing if there is none or it is not valid; why is told on `log`.
[[nodiscard]] std::optional<config::Config> load_config(const std::string& file, std::ostream& log);

/// A variable of the process's environment.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

}  // namespace holdfast::app
