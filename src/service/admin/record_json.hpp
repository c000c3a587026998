#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/circuit_timeline.hpp"
#include "telemetry/event_feed.hpp"
#include "telemetry/explained_calls.hpp"
#include "telemetry/series.hpp"

// Recorded data as the JSON of the API; see docs/api.md.

namespace holdfast::admin {

/// `policy_values` is JSON: the values of the call's policy and their sources.
[[nodiscard]] std::string json_of(const record::CallRecord& call,
                                  std::string_view policy_values = "null");
[[nodiscard]] std::string json_of(const telemetry::NumberedEvent& event);

/// Returns `{"calls":[…]}`.
[[nodiscard]] std::string calls_json(const std::vector<telemetry::ExplainedCalls::Call>& calls);
/// Returns `{"events":[…],"last":…}`.
[[nodiscard]] std::string events_json(const std::vector<telemetry::EventFeed::Item>& events,
                                      std::uint64_t last);
[[nodiscard]] std::string json_of(const telemetry::SeriesView& series);
[[nodiscard]] std::string timeline_json(const telemetry::CircuitTimeline::Changes& changes,
                                        std::int64_t from_ms, std::int64_t to_ms);

}  // namespace holdfast::admin
