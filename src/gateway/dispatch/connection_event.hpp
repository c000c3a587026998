#pragma once

#include <string>

#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/event.hpp"

namespace holdfast::dispatch {

/// Returns the event for a new state of a downstream.
[[nodiscard]] record::Event connection_event(const std::string& server,
                                             const downstream::DownstreamStatus& status,
                                             resilience::TimePoint now);

/// Returns the event for a list that became unreadable or readable again.
[[nodiscard]] record::Event list_event(const std::string& server,
                                       const downstream::ListProblem& problem);

/// Returns the event for a list with invalid entries.
[[nodiscard]] record::Event list_event(const std::string& server,
                                       const downstream::ListFaults& list);

/// Returns the event for a skipped message that is not JSON-RPC.
[[nodiscard]] record::Event junk_event(const std::string& server,
                                       const downstream::JunkNotice& notice);

}  // namespace holdfast::dispatch
