#pragma once

#include <optional>
#include <string>

#include "config/server_config.hpp"

namespace holdfast::config {

/// A program that fetches another one if it is missing, and runs it, such as `npx`.
struct PackageRunner {
    std::string program = {};  ///< Without its folder: `npx`, `bunx`, `uvx`, `docker`, ….
    std::string package = {};  ///< As written, such as `@scope/name@1.2`; empty if not recognized.

    friend bool operator==(const PackageRunner&, const PackageRunner&) = default;
};

/// Returns nothing for any other program. The package is a guess for display: options of these
/// programs that are not known may hide it.
[[nodiscard]] std::optional<PackageRunner> package_runner_of(const StdioTarget& target);

}  // namespace holdfast::config
