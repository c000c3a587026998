// Measures what telemetry, metrics and the status page cost a call. Three gateways serve one
// backend: one with everything off, one with the default config, and one that stores every call.
// The last two have a reader of the page. Lanes take turns, as in proxy_bench. The CPU time is that
// of the whole process, and counts until the records of a round are on disk.
//
// Prints every floor and whether it holds; the exit status says whether all hold. With --quick
// everything runs once, and no floor is enforced.

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "proxy/bench_plan.hpp"
#include "proxy/contenders.hpp"
#include "proxy/lanes.hpp"
#include "telemetry/page_reader.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kConnections = 32;
constexpr const char* kOff = "all off";
constexpr const char* kUsual = "telemetry, metrics, page";
constexpr const char* kEach = "every call stored";
/// Longer than the store needs to write its queue; together with a round it stays below the second
/// after which the page is read again.
constexpr auto kSettle = 500ms;

/// Starts a gateway with these sections in its config.
Contender gateway_with(Contenders& contenders, std::uint16_t backend_port,
                       const std::string& sections) {
    return contenders.holdfast_with({.servers = R"("s0":{"url":"http://127.0.0.1:)" +
                                                std::to_string(backend_port) + R"(/mcp"})",
                                     .more = sections});
}

void add(Group& group, const std::string& name, Contender gateway,
         std::shared_ptr<Company> company) {
    const Target target{.port = gateway.port, .tool = "s0__bench_echo"};
    group.add({.name = name,
               .proxy = std::move(gateway.child),
               .fleet = std::make_unique<Fleet>(name, target, kConnections),
               .company = std::move(company)});
}

/// Adds a lane with a reader of its page and returns the page's port.
std::uint16_t add_watched(Group& group, const std::string& name, Contender gateway) {
    const std::uint16_t port = port_in(gateway.child->said_behind("status page at "));
    add(group, name, std::move(gateway), std::make_shared<PageReader>(port));
    return port;
}

/// Returns the number after a key of the gateway's status.
double status_number(std::uint16_t admin_port, const std::string& key) {
    const std::string status = got_from(admin_port, "/api/status");
    const std::string mark = '"' + key + "\":";
    const std::size_t found = status.find(mark);
    if (found == std::string::npos) {
        fail("the status does not say \"" + key + '"');
    }
    return std::stod(status.substr(found + mark.size()));
}

void measure(const BenchPlan& plan, Floors& floors) {
    Contenders contenders;
    const Contender backend = contenders.backend({});
    Group group{"Telemetry, " + std::to_string(kConnections) + " connections"};
    add(group, kOff,
        gateway_with(contenders, backend.port, R"("admin":false,"telemetry":{"store":false},)"),
        nullptr);
    const std::string page = R"("admin":{"http":"127.0.0.1:0"},)";
    add_watched(group, kUsual, gateway_with(contenders, backend.port, page));
    const std::uint16_t each_port =
        add_watched(group, kEach,
                    gateway_with(contenders, backend.port, page + R"("telemetry":{"sample":1},)"));
    group.run(plan.timing({.settle = kSettle}));
    group.print(kOff);
    const double dropped = status_number(each_port, "dropped");
    std::printf("  every call stored: %.0f stored, %.0f dropped\n",
                status_number(each_port, "stored"), dropped);
    floors.expect_at_most("CPU per call of all off, telemetry, metrics and page on",
                          group.ratio(kUsual, kOff, &Round::cpu_us), 1.05);
    floors.expect_at_most("CPU per call of all off, every call stored",
                          group.ratio(kEach, kOff, &Round::cpu_us), 1.20);
    floors.expect_at_most("calls that were to be stored and were dropped", dropped, 0);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argument_count, char** arguments) {
    using namespace holdfast::bench;
    const BenchPlan plan = begun_plan({arguments, arguments + argument_count}, {});
    Floors floors;
    measure(plan, floors);
    return judged(plan, floors);
}
