#include "telemetry/store/minute_totals.hpp"

#include <utility>

#include "telemetry/store/store_schema.hpp"

namespace holdfast::telemetry {

void MinuteTotals::on_counts(std::int64_t now_ms, const std::vector<CallTotal>& counts) {
    const std::int64_t minute_ms = now_ms - now_ms % kMinuteMs;
    for (const CallTotal& count : counts) {
        const Name name{count.server, count.tool, count.outcome};
        Count& seen = seen_[name];
        if (count.calls == seen.calls) {
            continue;
        }
        auto found = waiting_.find({minute_ms, name});
        if (found == waiting_.end()) {
            if (waiting_.size() >= max_waiting_) {
                continue;
            }
            found = waiting_.try_emplace({minute_ms, name}).first;
        }
        found->second.calls += count.calls - seen.calls;
        found->second.total_us += count.total_us - seen.total_us;
        seen = {.calls = count.calls, .total_us = count.total_us};
    }
}

std::vector<MinuteTotal> MinuteTotals::waiting() const {
    std::vector<MinuteTotal> totals;
    totals.reserve(waiting_.size());
    for (const auto& [key, count] : waiting_) {
        const auto& [server, tool, outcome] = key.second;
        totals.push_back({.minute_ms = key.first,
                          .total = {.server = server,
                                    .tool = tool,
                                    .outcome = outcome,
                                    .calls = count.calls,
                                    .total_us = count.total_us}});
    }
    return totals;
}

}  // namespace holdfast::telemetry
