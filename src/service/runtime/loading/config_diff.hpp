#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "surface/callable.hpp"

// What becomes of a config that was read anew, in words.

namespace holdfast::runtime {

/// The parts of the file that differ and are read at the start only.
[[nodiscard]] std::vector<std::string> sections_for_a_restart(const config::Config& before,
                                                              const config::Config& after);

/// Which servers came, went, and were set up anew: `"a" is new, "b" is gone, 2 go on.`
[[nodiscard]] std::string describe_change(const std::vector<surface::Server>& before,
                                          const std::vector<surface::Server>& after);

}  // namespace holdfast::runtime
