#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "record/call_record.hpp"
#include "telemetry/counters/latency_histogram.hpp"
#include "telemetry/counters/striped.hpp"

namespace holdfast::telemetry {

struct SeriesOptions {
    std::int64_t step_s = 10;
    std::size_t max_steps = 360;   ///< Kept: an hour.
    std::size_t max_servers = 64;  ///< With a line of their own; all others count for the sum only.
};

/// One value per step, oldest first.
struct SeriesLine {
    std::vector<std::uint32_t> calls = {};
    std::vector<std::uint32_t> failures = {};
    std::vector<std::optional<double>> p50_ms = {};  ///< Nothing for steps without calls.
    std::vector<std::optional<double>> p99_ms = {};
};

struct SeriesView {
    std::int64_t from_ms = 0;  ///< Where the first step begins, since the epoch.
    std::int64_t step_s = 0;
    std::map<std::string, SeriesLine> servers = {};
    SeriesLine all = {};
};

/// Calls, failures and latencies of the last hour in short steps, per server and in total. A call
/// counts in the step in which it ended.
///
/// Thread-safety: from any thread.
class Series final {
public:
    explicit Series(const SeriesOptions& options = {}) : options_(options) {}

    /// Takes one lock for all of them.
    void on_calls(std::span<const record::KeptCall> calls);
    /// Returns the steps of the last `minutes` up to `now_ms`; the last step is incomplete.
    [[nodiscard]] SeriesView view(std::int64_t now_ms, std::size_t minutes);

private:
    struct Tally {
        std::uint32_t calls = 0;
        std::uint32_t failures = 0;
        LatencyHistogram latencies = {};

        void add(const Tally& other) noexcept;
    };
    /// What one part has counted in a step but not added to the history yet.
    struct Current {
        std::int64_t step = -1;
        std::map<std::string, Tally, std::less<>> servers = {};
    };
    struct Line {
        std::vector<std::int64_t> steps = {};  // the step that each slot holds
        std::vector<Tally> tallies = {};
    };
    struct History {
        std::map<std::string, Line, std::less<>> servers = {};
        Line all = {};
    };

    void count(Current& current, const record::CallRecord& record);
    void hand_over(Current& current);
    void add(Line& line, std::int64_t step, const Tally& tally) const;
    [[nodiscard]] SeriesLine line_of(const Line& line, std::int64_t first, std::int64_t last) const;

    const SeriesOptions options_;
    Striped<Current> current_;
    resilience::Synchronized<History> history_;
};

}  // namespace holdfast::telemetry
