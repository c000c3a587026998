#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "runtime/service_log.hpp"
#include "surface/callable.hpp"

namespace holdfast::runtime {

/// Returns the changed sections that are read only at the start.
[[nodiscard]] std::vector<std::string> sections_for_a_restart(const config::Config& before,
                                                              const config::Config& after);

/// Which servers were added, changed and removed.
[[nodiscard]] ServerChanges describe_change(const std::vector<surface::Server>& before,
                                            const std::vector<surface::Server>& after);

}  // namespace holdfast::runtime
