#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/circuit_timeline.hpp"
#include "telemetry/event_feed.hpp"
#include "telemetry/explained_calls.hpp"
#include "telemetry/series.hpp"

// What has been recorded, as the JSON of the API; see docs/api.md.

namespace holdfast::admin {

/// `policy_values` is JSON, what the policy of the call says and where each value came from.
[[nodiscard]] std::string json_of(const record::CallRecord& call,
                                  std::string_view policy_values = "null");
[[nodiscard]] std::string json_of(const telemetry::NumberedEvent& event);

/// `{"calls":[…]}`
[[nodiscard]] std::string calls_json(const std::vector<telemetry::ExplainedCalls::Call>& calls);
/// `{"events":[…],"last":…}`
[[nodiscard]] std::string events_json(const std::vector<telemetry::EventFeed::Item>& events,
                                      std::uint64_t last);
[[nodiscard]] std::string json_of(const telemetry::SeriesView& series);
[[nodiscard]] std::string timeline_json(const telemetry::CircuitTimeline::Changes& changes,
                                        std::int64_t from_ms, std::int64_t to_ms);

}  // namespace holdfast::admin
