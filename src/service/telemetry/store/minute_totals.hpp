#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "telemetry/metrics.hpp"

namespace holdfast::telemetry {

struct MinuteTotal {
    std::int64_t minute_ms = 0;  ///< When the minute began, since the epoch.
    CallTotal total = {};        ///< What this minute added.
};

/// Turns counts since the start into the increments of each minute, and stores them until they are
/// written. If too many are waiting, new counts are added to a later minute, so no call is lost.
///
/// Thread-safety: none.
class MinuteTotals final {
public:
    explicit MinuteTotals(std::size_t max_waiting) : max_waiting_(max_waiting) {}

    void on_counts(std::int64_t now_ms, const std::vector<CallTotal>& counts);
    [[nodiscard]] std::vector<MinuteTotal> waiting() const;
    [[nodiscard]] bool is_empty() const noexcept { return waiting_.empty(); }
    void on_written() { waiting_.clear(); }

private:
    using Name = std::tuple<std::string, std::string, std::string>;
    struct Count {
        std::uint64_t calls = 0;
        std::uint64_t total_us = 0;
    };

    const std::size_t max_waiting_;
    std::map<Name, Count> seen_;
    std::map<std::pair<std::int64_t, Name>, Count> waiting_;
};

}  // namespace holdfast::telemetry
