#pragma once

#include <string>

#include "holdfast/resilience/time.hpp"
#include "surface/callable.hpp"

namespace holdfast::surface {

/// Whether calls of the server's tools fail now because it is not connected. False during its first
/// start, for which calls wait.
[[nodiscard]] bool is_down(const Server& server);

/// Returns why calls of the tool fail now: `github is down, retry in 12 s`. Empty if they may
/// succeed.
[[nodiscard]] std::string why_unavailable(const Callable& tool, resilience::TimePoint now);

}  // namespace holdfast::surface
