#pragma once

#include <cstddef>
#include <string>

#include "app/kept_file.hpp"
#include "holdfast/resilience/result.hpp"

namespace holdfast::app {

/// The bytes of a file that a user named. A file larger than `max_bytes` is not read.
[[nodiscard]] resilience::Result<std::string, FileFault> whole_file(const std::string& path,
                                                                    std::size_t max_bytes);

}  // namespace holdfast::app
