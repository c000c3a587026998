#pragma once

#include <iosfwd>
#include <string>

namespace holdfast::cli {

struct InitOptions {
    std::string config_file = {};  ///< Empty = that of the user.
    bool replaces = false;         ///< Also a file that is there already.
    bool as_json = false;
};

/// Writes a commented config to begin with. Returns the exit code.
[[nodiscard]] int run_init(const InitOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
