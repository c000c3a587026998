// Agents that send many requests before they read: every request gets its answer.

#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/http_exchange.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr int kRequests = 60;
constexpr ServerLeg kServer = kServerLegs[4];

bool has_no_call_in_flight(std::uint16_t admin_port) {
    const HttpExchange metrics = http_exchange(admin_port, {.method = "GET", .path = "/metrics"});
    return metrics.body().find("holdfast_server_in_flight{server=\"fixture\"} 0") !=
           std::string::npos;
}

class SlowAgent : public testing::TestWithParam<AgentLeg> {};

TEST_P(SlowAgent, GetsEveryAnswer) {
    Scene scene;
    scene.add_fixture("fixture", kServer);
    scene.add_section(R"("limits":{"inFlight":64})");
    scene.add_section(R"("admin":{"http":"127.0.0.1:0"})");
    ASSERT_TRUE(scene.start({"--stdio"}));
    const std::uint16_t admin_port = scene.admin_port();
    ASSERT_NE(admin_port, 0);
    TestAgent agent = scene.agent(GetParam());
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("big"));

    std::set<std::string> missing;
    for (int count = 0; count < kRequests; ++count) {
        missing.insert(agent.send(tool_call("big", R"({"bytes":2000000})")));
    }
    // Until all answers wait for the agent: more than the system and a full queue accept.
    TestAgent other = scene.agent(kAgentLegs[4]);
    ASSERT_TRUE(other.open());
    ASSERT_TRUE(eventually([&] { return std::stoi(other.call("call_count")) > kRequests; }));
    ASSERT_TRUE(eventually([&] { return has_no_call_in_flight(admin_port); }));
    std::size_t size_bytes = 0;
    while (!missing.empty()) {
        const std::string message = agent.next_message();
        ASSERT_FALSE(message.empty()) << missing.size() << " answers are missing";
        size_bytes += message.size();
        missing.erase(member_text(message, "id"));
    }

    EXPECT_GT(size_bytes, kRequests * std::size_t{2'000'000});
}

INSTANTIATE_TEST_SUITE_P(OnAChannel, SlowAgent, testing::Values(kAgentLegs[3], kAgentLegs[5]),
                         [](const testing::TestParamInfo<AgentLeg>& info) {
                             return std::string{info.param.name};
                         });

}  // namespace
}  // namespace holdfast::test
