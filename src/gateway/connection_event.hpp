#pragma once

#include <string>

#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/time.hpp"
#include "telemetry/records.hpp"

namespace holdfast::gateway {

/// What a new state of a downstream is recorded as.
[[nodiscard]] telemetry::Event connection_event(const std::string& server,
                                                const downstream::DownstreamStatus& status,
                                                resilience::TimePoint now);

/// What a list that could not be had, or can be had again, is recorded as.
[[nodiscard]] telemetry::Event list_event(const std::string& server,
                                          const downstream::ListProblem& problem);

/// What a message that is not JSON-RPC, and was skipped, is recorded as.
[[nodiscard]] telemetry::Event junk_event(const std::string& server,
                                          const downstream::JunkNotice& notice);

}  // namespace holdfast::gateway
