#pragma once

#include <sys/types.h>

#include "holdfast/resilience/time.hpp"

namespace holdfast::platform {

/// Waits until a child of this process has ended, and does not reap it. Returns false if the time
/// is up first.
[[nodiscard]] bool ends_within(pid_t child, resilience::Duration max_time);

}  // namespace holdfast::platform
