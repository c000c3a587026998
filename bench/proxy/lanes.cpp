#include "proxy/lanes.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

namespace holdfast::bench {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;
using Seconds = std::chrono::duration<double>;

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return values.empty() ? 0 : *middle;
}

Round run_round(Lane& lane, const Timing& timing) {
    lane.fleet->connect();
    if (lane.company) {
        lane.company->begin();
    }
    const auto cpu_before = lane.proxy ? lane.proxy->cpu_time() : std::chrono::nanoseconds{};
    const LoadResult load = lane.fleet->run(timing.duration);
    std::this_thread::sleep_for(timing.settle);
    const auto cpu_after = lane.proxy ? lane.proxy->cpu_time() : std::chrono::nanoseconds{};
    if (lane.company) {
        lane.company->end();
    }
    const auto requests = static_cast<double>(load.requests);
    return {.requests_per_second = requests / Seconds{load.time}.count(),
            .cpu_us = Microseconds{cpu_after - cpu_before}.count() / requests,
            .median_us = Microseconds{load.median}.count(),
            .p99_us = Microseconds{load.p99}.count()};
}

}  // namespace

void Group::add(std::string name, std::shared_ptr<Child> proxy, const Target& target,
                std::size_t connections) {
    auto fleet = std::make_unique<Fleet>(name, target, connections);
    add({.name = std::move(name), .proxy = std::move(proxy), .fleet = std::move(fleet)});
}

void Group::run(const Timing& timing) {
    for (Lane& lane : lanes_) {
        lane.fleet->wait_until_served();
        std::ignore = run_round(lane, timing);  // warms up connections and caches
    }
    for (std::size_t round = 0; round < timing.rounds; ++round) {
        // Starts with another lane each time, because the order may matter.
        for (std::size_t turn = 0; turn < lanes_.size(); ++turn) {
            Lane& lane = lanes_[(round + turn) % lanes_.size()];
            lane.rounds.push_back(run_round(lane, timing));
        }
    }
}

void Group::print(const std::string& reference) const {
    std::printf("\n%s\n  %-28s %10s %9s %9s %9s   as a multiple of %s\n", title_.c_str(), "",
                "calls/s", "CPU us", "p50 us", "p99 us", reference.c_str());
    for (const Lane& lane : lanes_) {
        std::printf("  %-28s %10.0f %9.1f %9.0f %9.0f", lane.name.c_str(),
                    median(lane.name, &Round::requests_per_second),
                    median(lane.name, &Round::cpu_us), median(lane.name, &Round::median_us),
                    median(lane.name, &Round::p99_us));
        if (has(reference)) {
            std::printf("   calls/s %.2f  CPU %.2f  p99 %.2f",
                        ratio(lane.name, reference, &Round::requests_per_second),
                        ratio(lane.name, reference, &Round::cpu_us),
                        ratio(lane.name, reference, &Round::p99_us));
        }
        std::printf("\n");
    }
    std::fflush(stdout);
}

double Group::median(const std::string& name, double Round::* value) const {
    std::vector<double> values;
    values.reserve(find(name)->rounds.size());
    for (const Round& round : find(name)->rounds) {
        values.push_back(round.*value);
    }
    return median_of(std::move(values));
}

double Group::ratio(const std::string& name, const std::string& reference,
                    double Round::* value) const {
    const Lane& lane = *find(name);
    const Lane& other = *find(reference);
    std::vector<double> ratios;
    ratios.reserve(lane.rounds.size());
    for (std::size_t round = 0; round < lane.rounds.size(); ++round) {
        const double base = other.rounds[round].*value;
        ratios.push_back(base > 0 ? lane.rounds[round].*value / base : 0);
    }
    return median_of(std::move(ratios));
}

const Lane* Group::find(const std::string& name) const {
    const auto found = std::ranges::find(lanes_, name, &Lane::name);
    return found == lanes_.end() ? nullptr : &*found;
}

}  // namespace holdfast::bench
