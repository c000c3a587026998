#pragma once

#include <iosfwd>
#include <string>

namespace holdfast::cli {

struct PresetsOptions {
    std::string name = {};  ///< Empty = all are listed.
    bool as_json = false;
};

/// Lists the presets that are built in, or prints one. Returns the exit code.
[[nodiscard]] int run_presets(const PresetsOptions& options, std::ostream& out,
                              std::ostream& errors);

}  // namespace holdfast::cli
