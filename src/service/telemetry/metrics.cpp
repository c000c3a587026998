#include "telemetry/metrics.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "telemetry/counters/call_look.hpp"
#include "telemetry/counters/prometheus_text.hpp"

namespace holdfast::telemetry {
namespace {

constexpr double kUsInSecond = 1e6;

/// A counter of events; the labels are in the order of the counted values.
struct EventMetric {
    record::EventKind kind;
    std::string_view name;
    std::string_view help;
    std::array<std::string_view, 2> labels;  // an empty name = no such label
};

constexpr std::array<EventMetric, 6> kEventMetrics{{
    {.kind = record::EventKind::circuit,
     .name = "holdfast_circuit_transitions_total",
     .help = "Circuit state changes by new state.",
     .labels = {"circuit", "to"}},
    {.kind = record::EventKind::retry,
     .name = "holdfast_retries_total",
     .help = "Retried attempts.",
     .labels = {"circuit", ""}},
    {.kind = record::EventKind::refusal,
     .name = "holdfast_refusals_total",
     .help = "Rejected calls by reason.",
     .labels = {"circuit", "reason"}},
    {.kind = record::EventKind::connection,
     .name = "holdfast_connection_events_total",
     .help = "Connection events of servers.",
     .labels = {"server", "what"}},
    {.kind = record::EventKind::fallback,
     .name = "holdfast_search_fallbacks_total",
     .help = "Skipped search steps.",
     .labels = {"step", ""}},
    {.kind = record::EventKind::router,
     .name = "holdfast_searches_total",
     .help = "Tool searches.",
     .labels = {"what", ""}},
}};

std::vector<std::string> label_values(const record::Event& event) {
    switch (event.kind) {
        case record::EventKind::circuit:
        case record::EventKind::refusal:
            return {event.subject, std::string{event.what_text()}};
        case record::EventKind::retry:
        case record::EventKind::fallback:
            return {event.subject};
        case record::EventKind::connection:
            return {event.server, std::string{event.what_text()}};
        case record::EventKind::router:
            return {std::string{event.what_text()}};  // The query itself is never a label.
        case record::EventKind::call:
        case record::EventKind::gateway:
            break;
    }
    return {};
}

bool is_server_failure(std::string_view outcome) {
    record::CallRecord record;
    record.outcome = outcome;
    return record.is_server_failure();
}

void add_histogram(PrometheusText& text, const ToolLabel& label,
                   std::span<const std::uint64_t> buckets, std::uint64_t sum_us) {
    const LabelPair server{"server", label.server};
    const LabelPair tool{"tool", label.tool};
    std::uint64_t count = 0;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        count += buckets[bucket];
        const double end = bucket < Metrics::kBucketEndsUs.size()
                               ? static_cast<double>(Metrics::kBucketEndsUs[bucket]) / kUsInSecond
                               : std::numeric_limits<double>::infinity();
        text.add("_bucket", {server, tool, {"le", sample_text(end)}}, static_cast<double>(count));
    }
    text.add("_sum", {server, tool}, static_cast<double>(sum_us) / kUsInSecond);
    text.add("_count", {server, tool}, static_cast<double>(count));
}

/// `counts` has numbers by metric and label values.
void add_event_counts(PrometheusText& text, const auto& counts) {
    for (const EventMetric& metric : kEventMetrics) {
        text.begin(metric.name, metric.help, "counter");
        for (const auto& [key, value] : counts) {
            if (key.first != metric.name) {
                continue;
            }
            std::vector<LabelPair> pairs;
            pairs.reserve(key.second.size());
            for (std::size_t index = 0; index < key.second.size(); ++index) {
                pairs.emplace_back(metric.labels.at(index), key.second[index]);
            }
            text.add("", pairs, static_cast<double>(value));
        }
    }
}

void add_others(PrometheusText& text, std::span<const MetricFamily> others) {
    for (const MetricFamily& family : others) {
        text.begin(family.name, family.help, family.type);
        for (const Sample& sample : family.samples) {
            const std::vector<LabelPair> labels{sample.labels.begin(), sample.labels.end()};
            text.add("", labels, sample.value);
        }
    }
}

}  // namespace

Metrics::Metrics(const MetricsOptions& options)
    : options_(options),
      labels_({.max_tools = options.max_tools,
               .max_servers = options.max_servers,
               .max_outcomes = options.max_outcomes}) {}

void Metrics::on_calls(std::span<const record::KeptCall> calls) {
    parts_.with_own([&](Part& part) {
        for (const record::KeptCall& call : calls) {
            count(part, *call);
        }
    });
}

void Metrics::count(Part& part, const record::CallRecord& record) {
    const ToolLabelView label{record.server, tool_label_of(record)};
    const auto bucket = static_cast<std::size_t>(
        std::ranges::lower_bound(kBucketEndsUs, record.total_us) - kBucketEndsUs.begin());
    const std::size_t outcome = outcome_index(part, record.outcome);
    const std::size_t index = label_index(part, label);
    if (part.cells.size() <= index) {
        part.cells.resize(index + 1);
    }
    Cell& cell = part.cells[index];
    if (cell.outcomes.size() <= outcome) {
        cell.outcomes.resize(outcome + 1);
    }
    ++cell.buckets[bucket];
    ++cell.outcomes[outcome].calls;
    cell.outcomes[outcome].total_us +=
        static_cast<std::uint64_t>(std::max<std::int64_t>(record.total_us, 0));
}

// A part caches the indices that it has used, so that it rarely needs the shared table.
std::size_t Metrics::label_index(Part& part, const ToolLabelView& label) {
    if (const auto known = part.index.find(label); known != part.index.end()) {
        return known->second;
    }
    const LabelTable::Place place = labels_.place_of(label);
    // Only names with their own slot are cached, so that the cache is as bounded as the table.
    if (place.is_own && part.index.size() < options_.max_tools + options_.max_servers) {
        part.index.emplace(
            ToolLabel{.server = std::string{label.server}, .tool = std::string{label.tool}},
            place.index);
    }
    return place.index;
}

std::size_t Metrics::outcome_index(Part& part, std::string_view outcome) {
    const auto known =
        std::ranges::find(part.outcomes, outcome, &std::pair<std::string, std::size_t>::first);
    if (known != part.outcomes.end()) {
        return known->second;
    }
    const std::size_t index = labels_.outcome_index_of(outcome);
    if (part.outcomes.size() < options_.max_outcomes) {
        part.outcomes.emplace_back(outcome, index);
    }
    return index;
}

void Metrics::on_event(const record::Event& event) {
    const auto metric = std::ranges::find(kEventMetrics, event.kind, &EventMetric::kind);
    if (metric != kEventMetrics.end()) {
        count(metric->name, label_values(event));
    }
}

void Metrics::count(std::string_view metric, std::vector<std::string> labels) {
    events_.with([&](EventCounts& counts) {
        std::pair<std::string, std::vector<std::string>> key{metric, std::move(labels)};
        const std::size_t max_series = options_.max_circuits * kEventMetrics.size();
        if (counts.size() >= max_series && !counts.contains(key)) {
            std::ranges::fill(key.second, std::string{kOther});
        }
        ++counts[std::move(key)];
    });
}

std::vector<Metrics::Cell> Metrics::merged() const {
    std::vector<Cell> all;
    parts_.with_each([&all](const Part& part) {
        all.resize(std::max(all.size(), part.cells.size()));
        for (std::size_t index = 0; index < part.cells.size(); ++index) {
            const Cell& from = part.cells[index];
            Cell& to = all[index];
            std::ranges::transform(from.buckets, to.buckets, to.buckets.begin(), std::plus{});
            to.outcomes.resize(std::max(to.outcomes.size(), from.outcomes.size()));
            for (std::size_t outcome = 0; outcome < from.outcomes.size(); ++outcome) {
                to.outcomes[outcome].calls += from.outcomes[outcome].calls;
                to.outcomes[outcome].total_us += from.outcomes[outcome].total_us;
            }
        }
    });
    return all;
}

std::vector<CallTotal> Metrics::totals() const {
    const std::vector<Cell> cells = merged();
    // Read after the cells, so that every index that they use exists.
    const auto labels = labels_.labels();
    const auto outcomes = labels_.outcomes();
    std::vector<CallTotal> totals;
    for (std::size_t index = 0; index < cells.size(); ++index) {
        for (std::size_t outcome = 0; outcome < cells[index].outcomes.size(); ++outcome) {
            const OutcomeCount& count = cells[index].outcomes[outcome];
            if (count.calls > 0) {
                totals.push_back({.server = labels[index].server,
                                  .tool = labels[index].tool,
                                  .outcome = outcomes[outcome],
                                  .calls = count.calls,
                                  .total_us = count.total_us});
            }
        }
    }
    return totals;
}

std::map<std::string, ServerTotal, std::less<>> Metrics::by_server() const {
    std::map<std::string, ServerTotal, std::less<>> servers;
    for (const CallTotal& total : totals()) {
        ServerTotal& server = servers[total.server];
        server.calls += total.calls;
        server.failures += is_server_failure(total.outcome) ? total.calls : 0;
    }
    return servers;
}

std::string Metrics::text(std::span<const MetricFamily> others) const {
    PrometheusText text;
    text.begin("holdfast_calls_total", "Finished calls by outcome.", "counter");
    for (const CallTotal& total : totals()) {
        text.add("", {{"server", total.server}, {"tool", total.tool}, {"outcome", total.outcome}},
                 static_cast<double>(total.calls));
    }
    text.begin("holdfast_call_duration_seconds", "Time from the arrival of a call to its answer.",
               "histogram");
    const std::vector<Cell> cells = merged();
    const auto labels = labels_.labels();
    for (std::size_t index = 0; index < cells.size(); ++index) {
        std::uint64_t sum_us = 0;
        for (const OutcomeCount& outcome : cells[index].outcomes) {
            sum_us += outcome.total_us;
        }
        add_histogram(text, labels[index], cells[index].buckets, sum_us);
    }
    add_event_counts(text, events_.with([](const EventCounts& all) { return all; }));
    add_others(text, others);
    return text.take();
}

}  // namespace holdfast::telemetry
