#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "cli/client/admin_client.hpp"

namespace holdfast::cli {

struct ExplainOptions {
    AdminChoice gateway = {};
    std::string id = {};
    bool as_json = false;
};

/// Tells what became of one call. Returns the exit code.
[[nodiscard]] int run_explain(const ExplainOptions& options, std::ostream& out,
                              std::ostream& errors);

/// A call of the admin API in words for people.
[[nodiscard]] std::string shown_call(std::string_view json);

}  // namespace holdfast::cli
