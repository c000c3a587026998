#pragma once

#include <cstddef>
#include <string>

#include "holdfast/resilience/result.hpp"
#include "platform/private_file.hpp"

namespace holdfast::platform {

/// The bytes of a file that a user named. A file larger than `max_bytes` is not read.
[[nodiscard]] resilience::Result<std::string, FileFault> read_file(const std::string& path,
                                                                   std::size_t max_bytes);

}  // namespace holdfast::platform
