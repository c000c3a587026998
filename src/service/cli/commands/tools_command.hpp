#pragma once

#include <iosfwd>
#include <string>

#include "cli/client/run_with_client.hpp"

namespace holdfast::cli {

struct ToolsOptions {
    GatewayChoice gateway = {};
    bool as_json = false;
};

/// Lists the tools of a gateway as agents see them. Returns the exit code.
[[nodiscard]] int run_tools(const ToolsOptions& options, std::ostream& out, std::ostream& errors);

struct CallOptions {
    GatewayChoice gateway = {};
    std::string tool = {};
    std::string arguments = "{}";  ///< A JSON object, or "-": it is read from `input`.
    bool as_json = false;
    bool is_for_terminal = false;  ///< What is printed is seen by a person.
};

/// Calls a tool of a gateway and prints what it answers. Returns the exit code: failure also if the
/// tool says that it has failed.
[[nodiscard]] int run_call(CallOptions options, std::istream& input, std::ostream& out,
                           std::ostream& errors);

}  // namespace holdfast::cli
