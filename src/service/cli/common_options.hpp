#pragma once

#include <string>

#include "holdfast/resilience/time.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name that CLI11 has
class App;
}

namespace holdfast::cli {

inline constexpr const char* kConfigHelp =
    "A file with mcpServers (default: ./.mcp.json, then the user's)";

/// A command of the parser. Words that it does not take are kept, so that the message about them is
/// ours.
CLI::App* add_command(CLI::App& parser, const std::string& name, const std::string& about,
                      const std::string& example);

/// An option that takes a time, such as `10s`. The place must outlive the parsing.
void add_duration(CLI::App& command, const std::string& name, resilience::Duration& place,
                  const std::string& about);

}  // namespace holdfast::cli
