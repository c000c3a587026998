#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

namespace holdfast::cli {

struct EvalOptions {
    std::string tools_file = {};
    std::string queries_file = {};
    std::string mode = "hybrid";  ///< `keyword` or `hybrid`.
    std::size_t max_queries = 0;  ///< The first so many; 0 = all.
    bool as_json = false;
};

/// Measures the search on a test set: how well it ranks, and how long a query takes. Prints the
/// figures on `out` and returns the exit code.
[[nodiscard]] int evaluate(const EvalOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
