#pragma once

#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "platform/private_file.hpp"

namespace holdfast::platform {

/// Runs a program, found in the `PATH`, to its end; for commands of a user, not for the gateway.
/// It has our environment and standard error, and neither input nor output. Nothing if it ended
/// with exit code 0, else what went wrong. After `max_time` it is killed.
[[nodiscard]] std::optional<FileFault> run_program(std::vector<std::string> arguments,
                                                   resilience::Duration max_time);

}  // namespace holdfast::platform
