#pragma once

#include <sys/prctl.h>

namespace holdfast::process {

/// Closes `/proc/PID/environ`, `mem`, `fd` and the like of this process to all others, except to
/// those that may trace any process, and forbids core files. Programs of the same user, such as the
/// children, could read all secrets there. A process that is forked inherits this; a program that
/// it runs does not.
inline void forbid_inspection() noexcept {
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace holdfast::process
