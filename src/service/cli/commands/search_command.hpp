#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "cli/client/run_with_client.hpp"

namespace holdfast::cli {

struct SearchOptions {
    GatewayChoice gateway = {.needs_index = true};
    std::string query = {};
    std::size_t limit = 10;
    bool explains = false;
    bool as_json = false;
};

/// Finds tools of a gateway as an agent does, and tells by which step of the ladder. Returns the
/// exit code.
[[nodiscard]] int run_search(const SearchOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
