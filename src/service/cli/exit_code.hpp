#pragma once

namespace holdfast::cli {

// The exit codes of every command.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitFailure = 1;    ///< It failed, or what it reports is bad news.
inline constexpr int kExitUsage = 2;      ///< The command line is wrong.
inline constexpr int kExitConfig = 3;     ///< The config is missing or invalid.
inline constexpr int kExitNoGateway = 4;  ///< No running gateway was found or reached.
/// Interrupted by Ctrl-C: what a shell reports, since the signal ends the program.
inline constexpr int kExitInterrupted = 130;

}  // namespace holdfast::cli
