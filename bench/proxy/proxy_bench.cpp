// Measures what Holdfast costs between an agent and its tools, compared with proxies that do not
// know MCP and with bridges that do. Absolute numbers depend on the machine; the ratios of
// interleaved rounds on one machine are what counts. Prints every floor and whether it holds; the
// exit status says whether all hold. With --quick everything runs once, and no floor is enforced.
//
// The proxy under test has the first core to itself. The agents, which are this process, and the
// backends share the others. The throughput is therefore that of the proxy, and its CPU time is not
// mixed with that of others. The direct lane does not use the first core, so it is not an upper
// bound. Holdfast runs with one loop and haproxy with one thread.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/bench_plan.hpp"
#include "proxy/contenders.hpp"
#include "proxy/floors.hpp"
#include "proxy/lanes.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kManyConnections = 32;
constexpr std::size_t kIdleConnections = 1'000;
constexpr std::size_t kRecordedCalls = 1'000;  // per connection
constexpr const char* kHoldfastTool = "s0__bench_echo";

void add_if_installed(Group& group, const std::string& name, const std::shared_ptr<Child>& proxy,
                      const Target& target, std::size_t connections) {
    if (proxy) {
        group.add(name, proxy, target, connections);
    } else {
        std::printf("  %s is not installed; skipped\n", name.c_str());
    }
}

void compare_over_http(Contenders& contenders, Era era, const Timing& timing, Floors& floors) {
    const Contender backend = contenders.backend({.era = era});
    Contender haproxy = contenders.haproxy(backend.port);
    Contender nginx = contenders.nginx(backend.port);
    Contender holdfast = contenders.holdfast(backend.port);
    const std::shared_ptr<Child> haproxy_child = std::move(haproxy.child);
    const std::shared_ptr<Child> nginx_child = std::move(nginx.child);
    const std::shared_ptr<Child> holdfast_child = std::move(holdfast.child);
    const std::string words = era == Era::modern ? "modern" : "legacy session";
    for (const std::size_t connections : {std::size_t{1}, kManyConnections}) {
        Group group{"HTTP to HTTP, " + words + ", " + std::to_string(connections) +
                    " connection(s)"};
        group.add("direct", nullptr, {.port = backend.port, .era = era}, connections);
        add_if_installed(group, "haproxy", haproxy_child, {.port = haproxy.port, .era = era},
                         connections);
        add_if_installed(group, "nginx", nginx_child, {.port = nginx.port, .era = era},
                         connections);
        group.add("holdfast", holdfast_child,
                  {.port = holdfast.port, .era = era, .tool = kHoldfastTool}, connections);
        group.run(timing);
        group.print("haproxy");
        if (connections == kManyConnections && haproxy_child) {
            const std::string behind = " of haproxy, HTTP to HTTP, " + words;
            floors.expect_at_least("calls/s" + behind,
                                   group.ratio("holdfast", "haproxy", &Round::requests_per_second),
                                   0.9);
            floors.expect_at_most("CPU per call" + behind,
                                  group.ratio("holdfast", "haproxy", &Round::cpu_us), 1.25);
            floors.expect_at_most("p99" + behind,
                                  group.ratio("holdfast", "haproxy", &Round::p99_us), 2);
        }
    }
}

void compare_over_stdio(Contenders& contenders, const Timing& timing, Floors& floors) {
    Contender modern = contenders.holdfast_before_child(Era::modern);
    Contender legacy = contenders.holdfast_before_child(Era::legacy);
    Contender mcp_proxy = contenders.mcp_proxy();
    Contender supergateway = contenders.supergateway();
    const std::shared_ptr<Child> modern_child = std::move(modern.child);
    const std::shared_ptr<Child> legacy_child = std::move(legacy.child);
    const std::shared_ptr<Child> mcp_proxy_child = std::move(mcp_proxy.child);
    const std::shared_ptr<Child> supergateway_child = std::move(supergateway.child);
    for (const std::size_t connections : {std::size_t{1}, kManyConnections}) {
        Group group{"HTTP to a stdio child, " + std::to_string(connections) + " connection(s)"};
        group.add("holdfast, modern", modern_child, {.port = modern.port, .tool = kHoldfastTool},
                  connections);
        group.add("holdfast, legacy session", legacy_child,
                  {.port = legacy.port, .era = Era::legacy, .tool = kHoldfastTool}, connections);
        add_if_installed(group, "mcp-proxy", mcp_proxy_child,
                         {.port = mcp_proxy.port, .era = Era::legacy}, connections);
        add_if_installed(group, "supergateway", supergateway_child,
                         {.port = supergateway.port, .era = Era::legacy}, connections);
        group.run(timing);
        group.print("mcp-proxy");
        if (connections == kManyConnections && mcp_proxy_child) {
            floors.expect_at_least(
                "calls/s of mcp-proxy, stdio child, legacy session",
                group.ratio("holdfast, legacy session", "mcp-proxy", &Round::requests_per_second),
                15);
        }
    }
}

void compare_growth(Contenders& contenders, const Timing& timing, Floors& floors) {
    const Contender small = contenders.backend({});
    const Contender ten = contenders.backend({.generated_tools = 10});
    const Contender ten_thousand = contenders.backend({.generated_tools = 10'000});
    Group group{"Growth, " + std::to_string(kManyConnections) + " connections"};
    const auto add = [&group](const std::string& name, Contender contender) {
        group.add(name, std::move(contender.child), {.port = contender.port, .tool = kHoldfastTool},
                  kManyConnections);
    };
    add("1 downstream", contenders.holdfast(small.port, 1));
    Contender hundred = contenders.holdfast(small.port, 100);
    Fleet{"100 downstreams", {.port = hundred.port, .tool = "s99__bench_echo"}, 1}
        .wait_until_served();
    add("100 downstreams", std::move(hundred));
    add("10 more tools", contenders.holdfast(ten.port));
    add("10,000 more tools", contenders.holdfast(ten_thousand.port));
    group.run(timing);
    group.print("1 downstream");
    floors.expect_at_most("CPU per call with 100 downstreams, of that with 1",
                          group.ratio("100 downstreams", "1 downstream", &Round::cpu_us), 1.15);
    floors.expect_at_most("CPU per call with 10,000 tools, of that with 10",
                          group.ratio("10,000 more tools", "10 more tools", &Round::cpu_us), 1.15);
}

void measure_memory(Contenders& contenders, Floors& floors) {
    const Contender backend = contenders.backend({});
    std::printf("\nMemory\n");
    for (const Era era : {Era::modern, Era::legacy}) {
        const std::string words = era == Era::modern ? "modern" : "legacy session";
        const Contender holdfast = contenders.holdfast(backend.port);
        Fleet warm{"holdfast", {.port = holdfast.port, .tool = kHoldfastTool}, kManyConnections};
        warm.wait_until_served();
        const Memory idle = holdfast.child->memory();
        warm.connect();
        std::ignore = warm.run(200ms);
        const Memory before = holdfast.child->memory();
        Fleet agents{"holdfast",
                     {.port = holdfast.port, .era = era, .tool = kHoldfastTool},
                     kIdleConnections};
        agents.call_in_turn();
        const Memory after = holdfast.child->memory();
        const double each =
            (after.anonymous_kb - before.anonymous_kb) / static_cast<double>(kIdleConnections);
        std::printf(
            "  idle %.1f MB resident, %.1f MB anonymous; %.1f kB more for each of %zu "
            "connections that idle (%s)\n",
            idle.resident_kb / 1024, idle.anonymous_kb / 1024, each, kIdleConnections,
            words.c_str());
        if (era == Era::modern) {
            floors.expect_at_most("MB resident when idle", idle.resident_kb / 1024, 20);
            floors.expect_at_most("MB anonymous when idle", idle.anonymous_kb / 1024, 6);
        }
        floors.expect_at_most("kB for an idle connection, " + words, each, 10);
    }
}

/// Compares this gateway with an older one in the same rounds. The older one runs twice: the
/// difference of its two lanes is the noise.
void compare_versions(Contenders& contenders, const BenchPlan& plan, const std::string& baseline,
                      Floors& floors) {
    const std::string now = contenders.gateway();
    const Timing timing = plan.timing({.rounds = 90});
    std::printf("%zu rounds\n", timing.rounds);
    for (const bool is_stdio : {false, true}) {
        for (const Era era : {Era::modern, Era::legacy}) {
            const std::string words = std::string{"HTTP to "} +
                                      (is_stdio ? "a stdio child, " : "HTTP, ") +
                                      (era == Era::modern ? "modern" : "legacy session");
            const Contender backend = contenders.backend({.era = era});
            Group group{words};
            const auto add = [&](const std::string& name, const std::string& program) {
                contenders.use_gateway({program});
                Contender gateway = is_stdio ? contenders.holdfast_before_child(era)
                                             : contenders.holdfast(backend.port);
                group.add(name, std::move(gateway.child),
                          {.port = gateway.port, .era = era, .tool = kHoldfastTool},
                          kManyConnections);
            };
            add("baseline", baseline);
            add("now", now);
            add("baseline again", baseline);
            group.run(timing);
            group.print("baseline");
            const auto ratio = [&group](const char* name, double Round::* value) {
                return group.ratio(name, "baseline", value);
            };
            // Not worse than 1 % or the noise of the older one.
            floors.expect_at_least(
                "calls/s of the baseline, " + words, ratio("now", &Round::requests_per_second),
                std::min(0.99, ratio("baseline again", &Round::requests_per_second)));
            floors.expect_at_most("CPU per call of the baseline, " + words,
                                  ratio("now", &Round::cpu_us),
                                  std::max(1.01, ratio("baseline again", &Round::cpu_us)));
        }
    }
}

/// Sends calls of both eras through the gateway to servers over HTTP and stdio, for a gateway that
/// records a profile. `./dev profile` runs this part.
void send_calls_to_record(Contenders& contenders) {
    for (const bool is_stdio : {false, true}) {
        for (const Era era : {Era::modern, Era::legacy}) {
            const Contender backend = contenders.backend({.era = era});
            const Contender gateway = is_stdio ? contenders.holdfast_before_child(era)
                                               : contenders.holdfast(backend.port);
            for (const std::size_t connections : {std::size_t{1}, kManyConnections}) {
                Fleet fleet{"holdfast",
                            {.port = gateway.port, .era = era, .tool = kHoldfastTool},
                            connections};
                fleet.wait_until_served();
                fleet.connect();
                fleet.call(connections * kRecordedCalls);
            }
        }
    }
}

constexpr std::array<std::string_view, 7> kParts{"modern", "legacy",   "stdio", "growth",
                                                 "memory", "versions", "record"};

int run(const BenchPlan& plan) {
    const Timing timing = plan.timing();
    Contenders contenders;
    Floors floors;
    if (plan.part == "record") {
        send_calls_to_record(contenders);
        return EXIT_SUCCESS;
    }
    if (plan.has("modern")) {
        compare_over_http(contenders, Era::modern, timing, floors);
    }
    if (plan.has("legacy")) {
        compare_over_http(contenders, Era::legacy, timing, floors);
    }
    if (plan.has("stdio")) {
        compare_over_stdio(contenders, timing, floors);
    }
    if (plan.has("growth")) {
        compare_growth(contenders, timing, floors);
    }
    if (plan.has("memory")) {
        measure_memory(contenders, floors);
    }
    const char* const baseline = std::getenv("HOLDFAST_BASELINE");
    if (plan.part == "versions" && baseline == nullptr) {
        fail("set HOLDFAST_BASELINE to the holdfast that this one is compared with");
    }
    if (plan.part == "versions") {
        compare_versions(contenders, plan, baseline, floors);
    }
    return judged(plan, floors);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argument_count, char** arguments) {
    using namespace holdfast::bench;
    return run(begun_plan({arguments, arguments + argument_count}, kParts));
}
