#pragma once

#include <string>

#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/records.hpp"

namespace holdfast::dispatch {

/// What a new state of a downstream is recorded as.
[[nodiscard]] record::Event connection_event(const std::string& server,
                                             const downstream::DownstreamStatus& status,
                                             resilience::TimePoint now);

/// What a list that could not be had, or can be had again, is recorded as.
[[nodiscard]] record::Event list_event(const std::string& server,
                                       const downstream::ListProblem& problem);

/// What a message that is not JSON-RPC, and was skipped, is recorded as.
[[nodiscard]] record::Event junk_event(const std::string& server,
                                       const downstream::JunkNotice& notice);

}  // namespace holdfast::dispatch
