#pragma once

namespace holdfast::process {

/// Closes this descriptor and all above it. Requires a process with one thread.
void close_descriptors_from(int first);

/// Closes this descriptor and all above it when the process runs another program. Requires a
/// process with one thread.
void keep_descriptors_from_programs(int first);

}  // namespace holdfast::process
