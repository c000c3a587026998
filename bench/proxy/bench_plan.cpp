#include "proxy/bench_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "proxy/child.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

std::string usage(std::string_view program, std::span<const std::string_view> parts) {
    std::string names;
    for (const std::string_view part : parts) {
        names.append(names.empty() ? " [" : "|").append(part);
    }
    return "usage: " + std::filesystem::path{program}.filename().string() +
           " [--quick] [--priority]" + names + (names.empty() ? "" : "]");
}

}  // namespace

Timing BenchPlan::timing(const Timing& usual) const {
    Timing timing = usual;
    if (is_quick) {
        timing.rounds = 1;
        timing.duration = 50ms;
    }
    return timing;
}

BenchPlan begun_plan(std::span<char*> arguments, std::span<const std::string_view> parts,
                     const std::optional<Timing>& usual) {
    BenchPlan plan;
    for (const std::string_view word : arguments.subspan(1)) {
        if (word == "--quick") {
            plan.is_quick = true;
        } else if (word == "--priority") {
            plan.has_priority = true;
        } else if (std::ranges::find(parts, word) != parts.end()) {
            plan.part = word;
        } else {
            fail(usage(arguments.front(), parts));
        }
    }
    if (plan.has_priority && !try_take_priority()) {
        fail("--priority requires root");
    }
    if (!usual) {
        return plan;
    }
    const Timing timing = plan.timing(*usual);
    std::printf("%zu rounds of %lld ms; proxies on core 0, agents and servers on the others; %s\n",
                timing.rounds, static_cast<long long>(timing.duration.count()),
                plan.has_priority ? "with priority over the rest of the machine"
                                  : "without priority, so let nothing else run");
    return plan;
}

int judged(const BenchPlan& plan, const Floors& floors) {
    floors.print();
    if (plan.is_quick) {
        std::printf("Too few rounds: no floor is enforced.\n");
        return EXIT_SUCCESS;
    }
    return floors.all_hold() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace holdfast::bench
