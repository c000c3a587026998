#pragma once

#include <cstdint>
#include <string_view>

#include "record/records.hpp"

// How figures look at a record.

namespace holdfast::telemetry {

/// What is counted under the name of no tool, or of one too many.
inline constexpr std::string_view kOther = "other";

/// When the call was over, since the epoch.
[[nodiscard]] inline std::int64_t end_ms_of(const record::CallRecord& record) noexcept {
    constexpr std::int64_t kUsInMs = 1'000;
    return record.at_ms + record.total_us / kUsInMs;
}

/// What a call is counted under: names that agents make up (a tool that no server has, a uri) are
/// no labels, or they would use up the room for those of the tools.
[[nodiscard]] inline std::string_view tool_label_of(const record::CallRecord& record) noexcept {
    if (record.method != "tools/call") {
        return record.method;
    }
    return record.server.empty() ? kOther : record.tool;
}

}  // namespace holdfast::telemetry
