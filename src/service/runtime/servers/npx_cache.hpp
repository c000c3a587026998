#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/server_config.hpp"

namespace holdfast::runtime {

/// Returns the packages that a command `npx [-y] [-p PACKAGE …] PACKAGE [ARGUMENT …]` installs, as
/// written. Nothing for another program and for other options.
[[nodiscard]] std::optional<std::vector<std::string>> npx_packages(
    const config::StdioTarget& target);

/// Returns the folder where npx installs these packages, for a program with this environment
/// (`NAME=value`). Empty if the environment does not tell.
[[nodiscard]] std::string npx_folder(std::vector<std::string> packages,
                                     std::span<const std::string> environment);

/// Returns the name of an installed package without a `package.json`, which an interrupted
/// installation leaves behind: npx regards it as installed, and it fails at every start. Looks at
/// the first few thousand packages of the folder.
[[nodiscard]] std::optional<std::string> broken_package_in(const std::string& npx_folder);

/// Says that the package is broken and how to repair it.
[[nodiscard]] std::string broken_package_text(const std::string& npx_folder,
                                              const std::string& package);

}  // namespace holdfast::runtime
