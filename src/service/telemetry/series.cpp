#include "telemetry/series.hpp"

#include <algorithm>

#include "telemetry/counters/call_look.hpp"

namespace holdfast::telemetry {
namespace {

constexpr std::int64_t kMsInSecond = 1'000;
constexpr std::int64_t kSecondsInMinute = 60;

std::optional<double> in_ms(std::optional<double> microseconds) {
    constexpr double kMicrosecondsInMs = 1'000;
    return microseconds ? std::optional{*microseconds / kMicrosecondsInMs} : std::nullopt;
}

}  // namespace

void Series::Tally::add(const Tally& other) noexcept {
    calls += other.calls;
    failures += other.failures;
    latencies.add(other.latencies);
}

void Series::on_calls(std::span<const record::KeptCall> calls) {
    current_.with_own([&](Current& current) {
        for (const record::KeptCall& call : calls) {
            count(current, *call);
        }
    });
}

void Series::count(Current& current, const record::CallRecord& record) {
    const std::int64_t step = end_ms_of(record) / (options_.step_s * kMsInSecond);
    if (current.step != step) {
        hand_over(current);
        current.step = step;
    }
    auto found = current.servers.find(record.server);
    if (found == current.servers.end()) {
        // A server beyond the limit counts only in the sum; configs may change often.
        const bool has_slot = current.servers.size() < options_.max_servers;
        found = current.servers.try_emplace(has_slot ? std::string{record.server} : "").first;
    }
    Tally& tally = found->second;
    ++tally.calls;
    tally.failures += record.is_server_failure() ? 1U : 0U;
    tally.latencies.add(record.total_us);
}

// Sums are commutative, so a part may be added at any time, and more than once.
void Series::hand_over(Current& current) {
    history_.with([&](History& history) {
        for (const auto& [server, tally] : current.servers) {
            if (tally.calls == 0) {
                continue;
            }
            add(history.all, current.step, tally);
            const bool has_room = history.servers.size() < options_.max_servers;
            if (!server.empty() && (has_room || history.servers.contains(server))) {
                add(history.servers[server], current.step, tally);
            }
        }
    });
    current.servers.clear();
}

void Series::add(Line& line, std::int64_t step, const Tally& tally) const {
    if (line.steps.empty()) {
        line.steps.resize(options_.max_steps, -1);
        line.tallies.resize(options_.max_steps);
    }
    const std::size_t place = static_cast<std::size_t>(step) % options_.max_steps;
    if (line.steps[place] > step) {
        return;  // Too late: its slot belongs to a newer step.
    }
    if (line.steps[place] < step) {
        line.steps[place] = step;
        line.tallies[place] = {};
    }
    line.tallies[place].add(tally);
}

SeriesView Series::view(std::int64_t now_ms, std::size_t minutes) {
    current_.with_each([this](Current& current) { hand_over(current); });
    const std::int64_t step_ms = options_.step_s * kMsInSecond;
    const auto steps = std::min<std::int64_t>(
        static_cast<std::int64_t>(options_.max_steps),
        static_cast<std::int64_t>(minutes) * kSecondsInMinute / options_.step_s);
    const std::int64_t last = now_ms / step_ms;
    const std::int64_t first = last - steps + 1;
    SeriesView view{.from_ms = first * step_ms, .step_s = options_.step_s};
    history_.with([&](const History& history) {
        view.all = line_of(history.all, first, last);
        for (const auto& [server, line] : history.servers) {
            view.servers.emplace(server, line_of(line, first, last));
        }
    });
    return view;
}

SeriesLine Series::line_of(const Line& line, std::int64_t first, std::int64_t last) const {
    SeriesLine result;
    for (std::int64_t step = first; step <= last; ++step) {
        const std::size_t place = static_cast<std::size_t>(step) % options_.max_steps;
        const bool is_there = place < line.steps.size() && line.steps[place] == step;
        const Tally tally = is_there ? line.tallies[place] : Tally{};
        result.calls.push_back(tally.calls);
        result.failures.push_back(tally.failures);
        result.p50_ms.push_back(in_ms(tally.latencies.quantile_us(0.5)));
        result.p99_ms.push_back(in_ms(tally.latencies.quantile_us(0.99)));
    }
    return result;
}

}  // namespace holdfast::telemetry
