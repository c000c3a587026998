#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::cli {

struct ImportOptions {
    std::vector<std::string> files = {};  ///< Empty = the usual places of the clients.
    std::string client = {};              ///< By its name; empty = all, or by the files' paths.
    std::string config_file = {};         ///< Empty = that of the user.
    bool is_dry_run = false;
    bool as_json = false;
};

/// Adds the servers of clients' configs to ours, and tells how to point the clients at Holdfast.
/// Changes no file of a client. Returns the exit code.
[[nodiscard]] int run_import(const ImportOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
