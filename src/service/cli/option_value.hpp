#pragma once

#include <string>

#include "cli/command.hpp"

namespace holdfast::cli {

// The values of options as texts of a command line.

[[nodiscard]] bool is_valid_value(const CommandOption& option, const std::string& text);
/// Sets the target of the option. The text must be a valid value.
void set_value(const CommandOption& option, const std::string& text);

/// What a valid value looks like: "a whole number from 1 to 256". Empty if any text is valid.
[[nodiscard]] std::string expected_value(const CommandOption& option);
/// What stands for the value in the help: "TIME".
[[nodiscard]] std::string value_name(const CommandOption& option);

}  // namespace holdfast::cli
