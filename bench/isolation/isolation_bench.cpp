// Measures what the failure of one downstream costs the others, the downstream itself and its
// callers.
//
// hung: four healthy downstreams under full load, next to a fifth whose process is frozen. Calls to
// it continue at a fixed pace and time out, with the circuit disabled, which is the worst case, and
// under the built-in policy. Lanes take turns, as in proxy_bench.
// budget: calls of a read-only tool that always fails. The downstream counts the arriving calls,
// under the built-in policy and with its retry budget alone. refusal: how soon an open circuit
// rejects a call, over HTTP and stdio.
//
// Prints every floor and whether it holds; the exit status says whether all hold. With --quick
// everything runs once, and no floor is enforced.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "isolation/paced_callers.hpp"
#include "isolation/stdio_agent.hpp"
#include "proxy/bench_plan.hpp"
#include "proxy/contenders.hpp"
#include "proxy/floors.hpp"
#include "proxy/lanes.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::size_t kConnections = 32;
constexpr std::size_t kHealthyDownstreams = 4;
constexpr std::string_view kNoCircuit = R"({"circuit":"none"})";
constexpr std::string_view kEchoed = R"("content":[{"type":"text","text":"ok"}])";

std::string server(const std::string& name, std::uint16_t port, bool has_policy = false) {
    return '"' + name + R"(":{"url":"http://127.0.0.1:)" + std::to_string(port) + R"(/mcp")" +
           (has_policy ? R"(,"policy":"trial"})" : "}");
}

/// Returns the config of one server, with a policy on top of the built-in one if given.
GatewayConfig with_policy(std::string_view policy, const std::string& name, std::uint16_t port) {
    const bool has_policy = !policy.empty();
    return {.servers = server(name, port, has_policy),
            .policies = has_policy ? R"("trial":)" + std::string{policy} : ""};
}

/// The lanes of the part `hung`.
class HungPart final {
public:
    HungPart(Contenders& contenders, const Timing& timing)
        : contenders_(contenders), timing_(timing), healthy_(contenders.backend({})) {}

    void run(Floors& floors) {
        add("all healthy", healthy_.port, "", false);
        const Contender hung = contenders_.backend({});
        add("one hung, circuit off", hung.port, kNoCircuit, true);
        add("one hung, built-in policy", hung.port, "", true);
        hung.child->freeze();
        group_.run(timing_);
        group_.print("all healthy");
        for (std::size_t index = 0; index < companies_.size(); ++index) {
            std::printf("  calls to the hung one, lane %zu:", index + 2);
            for (const auto& [ending, count] : companies_[index]->endings()) {
                std::printf(" %s %zu", ending.empty() ? "answered" : ending.c_str(), count);
            }
            std::printf("\n");
        }
        for (const char* lane : {"one hung, circuit off", "one hung, built-in policy"}) {
            const std::string words = std::string{" of calls to the others, "} + lane;
            floors.expect_at_most("p99" + words, group_.ratio(lane, "all healthy", &Round::p99_us),
                                  1.25);
            floors.expect_at_most("CPU" + words, group_.ratio(lane, "all healthy", &Round::cpu_us),
                                  1.05);
        }
    }

private:
    /// Adds a gateway in front of the healthy downstreams and another one, called `last`.
    void add(const std::string& name, std::uint16_t last_port, std::string_view last_policy,
             bool last_is_called) {
        GatewayConfig config = with_policy(last_policy, "last", last_port);
        std::vector<Target> targets;
        for (std::size_t index = 0; index < kHealthyDownstreams; ++index) {
            const std::string own_name = "s" + std::to_string(index);
            config.servers += "," + server(own_name, healthy_.port);
            targets.push_back(
                {.tool = own_name + "__bench_echo", .expected = std::string{kEchoed}});
        }
        Contender gateway = contenders_.holdfast_with(config);
        for (Target& target : targets) {
            target.port = gateway.port;
            Fleet{name, target, 1}.wait_until_served();
        }
        Target last{.port = gateway.port, .tool = "last__bench_echo"};
        Fleet{name, last, 1}.wait_until_served();
        last.more_meta = R"(,"dev.holdfast/timeout":0.1)";
        Lane lane{.name = name,
                  .proxy = std::move(gateway.child),
                  .fleet = std::make_unique<Fleet>(name, targets, kConnections)};
        if (last_is_called) {
            companies_.push_back(std::make_shared<PacedCompany>(last, Pace{}));
            lane.company = companies_.back();
        }
        group_.add(std::move(lane));
    }

    Contenders& contenders_;
    const Timing timing_;
    const Contender healthy_;
    Group group_{"One hung downstream of five, " + std::to_string(kConnections) +
                 " connections to the others"};
    std::vector<std::shared_ptr<PacedCompany>> companies_;
};

void write(const fs::path& file, const std::string& text) {
    std::ofstream{file} << text;
}

std::size_t lines_of(const fs::path& file) {
    std::ifstream stream{file};
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}, '\n'));
}

/// A downstream with one read-only tool and scripted behaviour.
struct Moody {
    fs::path folder = {};
    Contender backend = {};
};

constexpr const char* kFails = "status 503 - out of order";
constexpr const char* kMoodyTool = "moody__look";

Moody moody_backend(Contenders& contenders) {
    Moody moody{.folder = contenders.new_folder("moody")};
    write(
        moody.folder / "tools",
        R"([{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}])");
    write(moody.folder / "script", "ok fine");
    moody.backend = contenders.troubled_backend(moody.folder);
    return moody;
}

/// Returns how often a call arrives at a downstream with this behaviour.
double arrivals_per_call(Contenders& contenders, std::string_view policy, const char* behaviour,
                         std::size_t calls) {
    const Moody moody = moody_backend(contenders);
    const Contender gateway =
        contenders.holdfast_with(with_policy(policy, "moody", moody.backend.port));
    const Target target{.port = gateway.port, .tool = kMoodyTool, .arguments = "{}"};
    Fleet{"holdfast", target, 1}.wait_until_served();
    write(moody.folder / "script", behaviour);
    const std::size_t before = lines_of(moody.folder / "arrivals");
    // 200 calls per second, even while a tenth of the callers wait for retries.
    PacedCallers callers{target, {.callers = 100, .interval = 500ms}};
    const Endings endings = callers.run(calls);
    const std::size_t arrivals = lines_of(moody.folder / "arrivals") - before;
    std::printf("  %-10s %-32s %6zu calls, %6zu arrivals;",
                behaviour == kFails ? "fails" : "healthy",
                policy.empty() ? "built-in policy" : "retry budget alone", calls, arrivals);
    for (const auto& [ending, count] : endings) {
        std::printf(" %s %zu", ending.empty() ? "answered" : ending.c_str(), count);
    }
    std::printf("\n");
    return static_cast<double>(arrivals) / static_cast<double>(calls);
}

void measure_budget(Contenders& contenders, std::size_t calls, Floors& floors) {
    std::printf("\nTraffic at a downstream, of calls that may be repeated, 200 a second\n");
    const double healthy = arrivals_per_call(contenders, "", "ok fine", calls);
    const double down = arrivals_per_call(contenders, "", kFails, calls);
    const double budget = arrivals_per_call(contenders, kNoCircuit, kFails, calls);
    floors.expect_at_most("traffic when down, of normal, built-in policy", down / healthy, 1.1);
    floors.expect_at_most("traffic when down, of normal, retry budget alone", budget / healthy,
                          1.1);
}

/// Requires sorted values.
double at_share(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * share)];
}

void measure_stdio_refusal(Contenders& contenders, const GatewayConfig& config, Target target,
                           const Timing& timing, Floors& floors) {
    StdioAgent agent{contenders.holdfast_on_stdio(config), contenders.proxy_cores(),
                     std::move(target)};
    agent.call_until_right();
    std::vector<double> latencies_ms;
    const auto end = std::chrono::steady_clock::now() + timing.duration * timing.rounds;
    while (std::chrono::steady_clock::now() < end) {
        latencies_ms.push_back(std::chrono::duration<double, std::milli>{agent.call()}.count());
    }
    std::ranges::sort(latencies_ms);
    std::printf("  stdio: p50 %.3f ms, p99 %.3f ms of %zu calls\n", at_share(latencies_ms, 0.5),
                at_share(latencies_ms, 0.99), latencies_ms.size());
    floors.expect_at_most("ms p99 of a refusal, stdio", at_share(latencies_ms, 0.99), 1);
}

void measure_refusal(Contenders& contenders, const Timing& timing, Floors& floors) {
    const Moody moody = moody_backend(contenders);
    write(moody.folder / "script", kFails);
    // The circuit must stay open during the measurement; everything else is built in.
    const GatewayConfig config =
        with_policy(R"({"circuit":{"open":"10m"}})", "moody", moody.backend.port);
    Contender gateway = contenders.holdfast_with(config);
    const std::shared_ptr<Child> child = std::move(gateway.child);
    const Target target{
        .port = gateway.port, .tool = kMoodyTool, .arguments = "{}", .expected = "CIRCUIT_OPEN"};
    const Contender plain = contenders.backend({});
    Group group{"Calls that an open circuit refuses"};
    // For comparison: a call that a proxy forwards.
    constexpr const char* kPassedOn = "answered through haproxy";
    if (Contender haproxy = contenders.haproxy(plain.port); haproxy.child) {
        group.add(kPassedOn, std::move(haproxy.child), {.port = haproxy.port}, 1);
    }
    group.add("HTTP, 1 connection", child, target, 1);
    group.add("HTTP, 8 connections", child, target, 8);
    group.run(timing);
    group.print(kPassedOn);
    for (const char* lane : {"HTTP, 1 connection", "HTTP, 8 connections"}) {
        floors.expect_at_most(std::string{"ms p99 of a refusal, "} + lane,
                              group.median(lane, &Round::p99_us) / 1'000, 1);
    }
    measure_stdio_refusal(contenders, config, target, timing, floors);
}

constexpr std::array<std::string_view, 3> kParts{"hung", "budget", "refusal"};

int run(const BenchPlan& plan) {
    const Timing timing = plan.timing();
    Contenders contenders;
    Floors floors;
    if (plan.has("hung")) {
        HungPart{contenders, timing}.run(floors);
    }
    if (plan.has("budget")) {
        measure_budget(contenders, plan.is_quick ? 100 : 4'000, floors);
    }
    if (plan.has("refusal")) {
        measure_refusal(contenders, timing, floors);
    }
    return judged(plan, floors);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argument_count, char** arguments) {
    using namespace holdfast::bench;
    return run(begun_plan({arguments, arguments + argument_count}, kParts));
}
