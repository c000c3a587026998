// Counts the instructions, allocations, locks and clock readings of a call in the gateway. The
// counts are repeatable on a busy machine, so they show changes that time measurements cannot. With
// HOLDFAST_BASELINE=<another holdfast> that binary is counted too, and the ratios are printed.
//
// The gateway runs under callgrind, with one loop. 1,000 calls warm it up, then 4,000 are counted.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instructions/callgrind_profile.hpp"
#include "proxy/bench_plan.hpp"
#include "proxy/contenders.hpp"

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kConnections = 32;
constexpr std::size_t kWarmUpCalls = 1'000;
constexpr std::size_t kCalls = 4'000;
constexpr std::size_t kQuickCalls = 64;
constexpr std::size_t kShownFunctions = 40;

struct CountedLane {
    std::string_view name = {};
    Era era = Era::modern;
    bool is_stdio = false;
};
constexpr std::array<CountedLane, 4> kLanes{{
    {"HTTP to HTTP, modern", Era::modern, false},
    {"HTTP to HTTP, legacy session", Era::legacy, false},
    {"HTTP to a stdio child, modern", Era::modern, true},
    {"HTTP to a stdio child, legacy session", Era::legacy, true},
}};

struct Counts {
    double instructions = 0;
    double locks = 0;
    double clock_readings = 0;
};

void run_program(const std::string& command) {
    if (std::system(command.c_str()) != 0) {
        fail("this command failed: " + command);
    }
}

/// Copies the gateway without the debug data that valgrind cannot read.
fs::path stripped(const fs::path& binary, const fs::path& folder) {
    const fs::path copy = folder / "holdfast";
    run_program("objcopy --strip-debug '" + binary.string() + "' '" + copy.string() + "'");
    return copy;
}

double each(std::uint64_t count, std::size_t calls) {
    return static_cast<double>(count) / static_cast<double>(calls);
}

Counts per_call(const CallgrindProfile& profile, std::size_t calls) {
    return {.instructions = each(profile.instructions, calls),
            .locks = each(profile.calls_of({"pthread_mutex_lock", "pthread_rwlock_rdlock",
                                            "pthread_rwlock_wrlock"}),
                          calls),
            .clock_readings = each(profile.calls_of({"clock_gettime"}), calls)};
}

CallgrindProfile counted(Contenders& contenders, const CountedLane& lane, const fs::path& binary,
                         std::size_t calls) {
    const fs::path folder = contenders.new_folder("callgrind");
    contenders.use_gateway({"valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no",
                            "--callgrind-out-file=" + (folder / "counts.%p").string(),
                            stripped(binary, folder)});
    const Contender backend = contenders.backend({.era = lane.era});
    const Contender gateway = lane.is_stdio ? contenders.holdfast_before_child(lane.era)
                                            : contenders.holdfast(backend.port);
    Fleet fleet{"holdfast",
                {.port = gateway.port, .era = lane.era, .tool = "s0__bench_echo"},
                kConnections};
    fleet.wait_until_served();
    fleet.connect();
    const std::string pid = std::to_string(gateway.child->pid());
    const std::string control = "callgrind_control ";
    run_program(control + "--instr=on " + pid + " > /dev/null 2>&1");
    // Warms up again, because callgrind retranslates the code when counting begins.
    fleet.call(calls < kCalls ? calls : kWarmUpCalls);
    run_program(control + "--zero " + pid + " > /dev/null 2>&1");
    fleet.call(calls);
    run_program(control + "--dump " + pid + " > /dev/null 2>&1");
    return read_callgrind_profile(folder / ("counts." + pid + ".1"));
}

void print(const char* name, const Counts& counts) {
    std::printf("  %-10s %9.0f instructions  %5.1f locks  %5.1f clock readings\n", name,
                counts.instructions, counts.locks, counts.clock_readings);
}

/// Requires a gateway that was linked without inlining allocations into their callers. `operator
/// new[]` calls `operator new`. Coroutine frames are allocated by aligned_alloc.
double allocations(const CallgrindProfile& profile, std::size_t calls) {
    return each(profile.calls_of({"operator new(", "__wrap_aligned_alloc"}), calls);
}

void print_largest(const CallgrindProfile& profile, std::size_t calls) {
    std::printf("  the functions with the most instructions of their own, for each call:\n");
    for (const auto& [name, function] : profile.largest(kShownFunctions)) {
        std::printf("    %8.0f  %6.1f calls  %.100s\n", each(function.own_instructions, calls),
                    each(function.calls, calls), name.c_str());
    }
}

/// A function that was split or merged shows as two changes.
void print_changes(const CallgrindProfile& before, const CallgrindProfile& now, std::size_t calls) {
    std::vector<std::pair<double, std::string>> changes;
    const auto own_in = [calls](const CallgrindProfile& profile, const std::string& name) {
        const auto found = profile.functions.find(name);
        return found == profile.functions.end() ? 0 : each(found->second.own_instructions, calls);
    };
    changes.reserve(now.functions.size() + before.functions.size());
    for (const auto& [name, function] : now.functions) {
        changes.emplace_back(each(function.own_instructions, calls) - own_in(before, name), name);
    }
    for (const auto& [name, function] : before.functions) {
        if (!now.functions.contains(name)) {
            changes.emplace_back(-each(function.own_instructions, calls), name);
        }
    }
    std::ranges::sort(changes, [](const auto& one, const auto& other) {
        return std::abs(one.first) > std::abs(other.first);
    });
    changes.resize(std::min(changes.size(), kShownFunctions));
    std::printf("  the largest changes of instructions, for each call:\n");
    for (const auto& [change, name] : changes) {
        std::printf("    %+8.0f  %.100s\n", change, name.c_str());
    }
}

int run(const BenchPlan& plan) {
    Contenders contenders;
    const fs::path binary = contenders.gateway();
    const fs::path for_counting = binary.parent_path() / "holdfast_for_counting";
    const char* const baseline = std::getenv("HOLDFAST_BASELINE");
    const std::size_t calls = plan.is_quick ? kQuickCalls : kCalls;
    for (const CountedLane& lane : kLanes) {
        std::printf("\n%s, each of %zu calls\n", std::string{lane.name}.c_str(), calls);
        std::optional<CallgrindProfile> before;
        if (baseline != nullptr) {
            before = counted(contenders, lane, baseline, calls);
            print("baseline", per_call(*before, calls));
        }
        const CallgrindProfile now = counted(contenders, lane, binary, calls);
        print("now", per_call(now, calls));
        if (fs::exists(for_counting)) {
            std::printf("  now        %9.1f allocations\n",
                        allocations(counted(contenders, lane, for_counting, calls), calls));
        }
        if (before) {
            std::printf("  ratio      %9.4f\n", static_cast<double>(now.instructions) /
                                                    static_cast<double>(before->instructions));
        }
        if (plan.is_quick) {
            continue;
        }
        before ? print_changes(*before, now, calls) : print_largest(now, calls);
    }
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argument_count, char** arguments) {
    using namespace holdfast::bench;
    return run(begun_plan({arguments, arguments + argument_count}, {}, std::nullopt));
}
