#pragma once

#include <iosfwd>

namespace holdfast::app {

/// Exit codes of the process.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitFailure = 1;  ///< It could not start, or had to give up.
inline constexpr int kExitUsage = 2;
inline constexpr int kExitConfig = 3;  ///< The config is missing or not valid.

/// Reads the arguments of main(), runs the command that they name and returns the exit code. What
/// was asked for goes to `out`; what is wrong goes to `errors`, as one sentence.
[[nodiscard]] int run_command_line(int argument_count, const char* const* arguments,
                                   std::ostream& out, std::ostream& errors);

}  // namespace holdfast::app
