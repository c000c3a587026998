#pragma once

#include <iosfwd>

namespace holdfast::cli {

/// Reads the arguments of main(), runs the command that they name and returns the exit code. What
/// was asked for goes to `out`; what is wrong goes to `errors`, as one sentence.
[[nodiscard]] int run_command_line(int argument_count, const char* const* arguments,
                                   std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
