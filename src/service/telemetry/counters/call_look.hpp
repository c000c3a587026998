#pragma once

#include <cstdint>
#include <string_view>

#include "record/call_record.hpp"

// How counters read a record.

namespace holdfast::telemetry {

/// The label of calls without a tool, or of tools beyond the limit.
inline constexpr std::string_view kOther = "other";

/// Returns when the call ended, since the epoch.
[[nodiscard]] inline std::int64_t end_ms_of(const record::CallRecord& record) noexcept {
    constexpr std::int64_t kUsInMs = 1'000;
    return record.at_ms + record.total_us / kUsInMs;
}

/// Returns the label under which a call is counted. Names that agents invent (an unknown tool, a
/// URI) are not labels, because they would use up the slots for real tools.
[[nodiscard]] inline std::string_view tool_label_of(const record::CallRecord& record) noexcept {
    if (record.method != "tools/call") {
        return record.method;
    }
    return record.server.empty() ? kOther : record.tool;
}

}  // namespace holdfast::telemetry
