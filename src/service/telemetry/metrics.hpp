#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "record/call_record.hpp"
#include "record/event.hpp"
#include "telemetry/counters/label_table.hpp"
#include "telemetry/counters/striped.hpp"

namespace holdfast::telemetry {

/// Limits for the number of series. Values beyond a limit are counted under `other`.
struct MetricsOptions {
    std::size_t max_tools = 500;     ///< With their own labels, over all servers.
    std::size_t max_servers = 200;   ///< With a label `other` for further tools.
    std::size_t max_outcomes = 32;   ///< Distinct outcomes.
    std::size_t max_circuits = 300;  ///< With counters of their own, for each kind of event.
};

/// A measured value and its labels.
struct Sample {
    std::vector<std::pair<std::string, std::string>> labels = {};
    double value = 0;
};

/// A metric whose values the caller provides: circuit states, queue lengths, children, sessions.
struct MetricFamily {
    std::string name = {};  ///< `holdfast_` and a valid rest.
    std::string help = {};
    std::string type = "gauge";
    std::vector<Sample> samples = {};
};

/// The number of calls with one outcome since the start.
struct CallTotal {
    std::string server = {};
    std::string tool = {};
    std::string outcome = {};
    std::uint64_t calls = 0;
    std::uint64_t total_us = 0;
};

struct ServerTotal {
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;  ///< Without the mistakes of agents.
};

/// Counts calls and events for Prometheus, for the status, and for the totals of the store. The
/// number of labels is bounded.
///
/// Thread-safety: from any thread.
class Metrics final {
public:
    explicit Metrics(const MetricsOptions& options = {});

    /// Takes one lock for all of them.
    void on_calls(std::span<const record::KeptCall> calls);
    /// Counts retries, rejections, circuit and connection changes, and fallbacks.
    void on_event(const record::Event& event);

    [[nodiscard]] std::vector<CallTotal> totals() const;
    /// By server; the empty name has the calls that reached no server.
    [[nodiscard]] std::map<std::string, ServerTotal, std::less<>> by_server() const;

    /// Returns all metrics in the text format 0.0.4 of Prometheus, including those of the caller.
    [[nodiscard]] std::string text(std::span<const MetricFamily> others = {}) const;

    /// The upper bounds of the latency buckets; one more bucket has larger values.
    static constexpr std::array<std::int64_t, 15> kBucketEndsUs{
        500,     1'000,   2'500,     5'000,     10'000,    25'000,     50'000,    100'000,
        250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000, 60'000'000};

private:
    struct OutcomeCount {
        std::uint64_t calls = 0;
        std::uint64_t total_us = 0;
    };
    struct Cell {
        std::array<std::uint64_t, kBucketEndsUs.size() + 1> buckets = {};
        std::vector<OutcomeCount> outcomes = {};  // by the index of the outcome
    };
    struct Part {
        ToolLabelIndex index = {};
        // short, so a list is fastest
        std::vector<std::pair<std::string, std::size_t>> outcomes = {};
        std::vector<Cell> cells = {};  // by the index of the label
    };
    /// By metric and label values.
    using EventCounts = std::map<std::pair<std::string, std::vector<std::string>>, std::uint64_t>;

    void count(Part& part, const record::CallRecord& record);
    [[nodiscard]] std::size_t label_index(Part& part, const ToolLabelView& label);
    [[nodiscard]] std::size_t outcome_index(Part& part, std::string_view outcome);
    [[nodiscard]] std::vector<Cell> merged() const;
    void count(std::string_view metric, std::vector<std::string> labels);

    const MetricsOptions options_;
    LabelTable labels_;
    Striped<Part> parts_;
    resilience::Synchronized<EventCounts> events_;
};

}  // namespace holdfast::telemetry
