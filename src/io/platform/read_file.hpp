#pragma once

#include <cstddef>
#include <string>

#include "holdfast/resilience/result.hpp"
#include "platform/private_file.hpp"

namespace holdfast::platform {

/// Reads a file that a user named. Fails for a file larger than `max_bytes`. The fault begins with
/// the path.
[[nodiscard]] resilience::Result<std::string, FileFault> read_file(const std::string& path,
                                                                   std::size_t max_bytes);
/// Like `read_file`, with a fault that does not name the file: `cannot be read: …`.
[[nodiscard]] resilience::Result<std::string, FileFault> read_unnamed_file(const std::string& path,
                                                                           std::size_t max_bytes);

}  // namespace holdfast::platform
