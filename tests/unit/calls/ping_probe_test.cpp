// Probes by ping: check whether a server has recovered without an agent's call.
#include <gtest/gtest.h>

#include <chrono>

#include "support/gateway/answers.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using namespace std::chrono_literals;

class PingProbeTest : public test::GatewayWorld {
protected:
    void begin_with(const std::string& rules, Era era = Era::legacy) {
        policy = rules;
        server = add_server("box", era);
        begin();
    }
    test::Port call(const std::string& tool = "t") {
        return request(Modern{}, "tools/call", R"("name":")" + tool + R"(","arguments":{})");
    }
    void open_circuit(const std::string& tool = "t") {
        call(tool);
        answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});
        loop.run_for(10s);
    }

    std::shared_ptr<test::FakeServer> server;
};

constexpr auto kPings =
    R"({"retry": "none", "circuit": {"failures": 1, "open": "10s", "successes": 2, "probes": 1, "probeBy": "ping"}})";

TEST_F(PingProbeTest, ServerIsPingedBeforeACallIsSent) {
    begin_with(kPings);
    open_circuit();
    const auto port = call();

    ASSERT_EQ(server->calls.size(), 2U);
    EXPECT_EQ(server->last().request.method, "ping");
    answer(server->last(), test::legacy_result("{}"));
    ASSERT_EQ(server->calls.size(), 3U);
    EXPECT_EQ(server->last().request.method, "ping");
    answer(server->last(), test::legacy_result("{}"));
    ASSERT_EQ(server->calls.size(), 4U);
    EXPECT_EQ(server->last().request.method, "tools/call");
    answer(server->last(), test::legacy_result(R"({"content":[]})"));
    EXPECT_EQ(port->answer().find("isError"), std::string::npos) << port->answer();
}

TEST_F(PingProbeTest, PingThatFailsSendsNoCall) {
    begin_with(kPings);
    open_circuit();
    const auto port = call();
    answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});

    EXPECT_EQ(server->calls.size(), 2U);
    EXPECT_NE(port->answer().find("CIRCUIT_OPEN"), std::string::npos) << port->answer();
}

TEST_F(PingProbeTest, ServerThatDoesNotAnswerAPingKeepsTheCircuitOpen) {
    begin_with(R"({"retry": "none", "timeout": "60s", "attemptTimeout": "3s",
                   "circuit": {"failures": 1, "open": "10s", "probeBy": "ping"}})");
    open_circuit();
    const auto port = call();
    loop.run_for(4s);

    EXPECT_NE(port->answer().find("CIRCUIT_OPEN"), std::string::npos) << port->answer();
    EXPECT_EQ(server->calls.size(), 2U);
}

// The substitute of the call is asked while the ping is still in flight.
TEST_F(PingProbeTest, LateResultOfAStuckPingIsNotTheAnswerOfTheCall) {
    tool_rules = R"([{"match": "box.t", "fallback": "spare.t"}])";
    const auto spare = add_server("spare", Era::legacy);
    begin_with(R"({"retry": "none", "timeout": "60s", "attemptTimeout": "3s",
                   "circuit": {"failures": 1, "open": "10s", "probeBy": "ping"}})");
    open_circuit("box__t");
    server->is_stuck = true;
    const auto port = call("box__t");
    ASSERT_EQ(server->last().request.method, "ping");
    loop.run_for(4s);
    ASSERT_EQ(spare->calls.size(), 1U);

    answer(server->last(), test::legacy_result("{}"));
    EXPECT_EQ(port->ends(), 0U) << port->answer();
    answer(spare->last(), test::legacy_result(R"({"content":[]})"));

    EXPECT_NE(port->answer().find(R"("content":[)"), std::string::npos) << port->answer();
}

TEST_F(PingProbeTest, PingIsCancelledWithItsCall) {
    begin_with(kPings);
    open_circuit();
    const auto port = call();
    on_loop([&] { port->gone(); });

    EXPECT_EQ(server->last().request.method, "ping");
    EXPECT_TRUE(server->last().is_cancelled);
    EXPECT_EQ(port->abandoned, 1U);
}

TEST_F(PingProbeTest, ModernServerIsProbedByDiscover) {
    begin_with(kPings, Era::modern);
    open_circuit();
    call();
    EXPECT_EQ(server->last().request.method, "server/discover");
}

TEST_F(PingProbeTest, CallsThatArriveMeanwhileAreRefused) {
    begin_with(kPings);
    open_circuit();
    call();
    const auto other = call();

    EXPECT_NE(other->answer().find("CIRCUIT_OPEN"), std::string::npos) << other->answer();
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(PingProbeTest, WithoutTheOptionTheCallItselfIsTheProbe) {
    begin_with(R"({"retry": "none", "circuit": {"failures": 1, "open": "10s"}})");
    open_circuit();
    call();
    EXPECT_EQ(server->last().request.method, "tools/call");
}

}  // namespace
}  // namespace holdfast::calls
