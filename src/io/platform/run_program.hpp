#pragma once

#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "platform/private_file.hpp"

namespace holdfast::platform {

/// Runs a program from the `PATH` to its end; for commands of a user, not for the gateway. The
/// program has our environment and standard error, and neither input nor output. Returns nothing if
/// it ended with exit code 0, otherwise what went wrong. Kills it after `max_time`.
[[nodiscard]] std::optional<FileFault> run_program(std::vector<std::string> arguments,
                                                   resilience::Duration max_time);

}  // namespace holdfast::platform
