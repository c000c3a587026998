#pragma once

#include <string>

#include "downstream/answer.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// The fault of a call that waited for the end of the first start of a server, which has taken this
/// long so far.
[[nodiscard]] CallFault starting_fault(const std::string& server, resilience::Duration started_for);

}  // namespace holdfast::downstream
