// Old answers that replace failures, and calls that keep failing.
#include <gtest/gtest.h>

#include <chrono>

#include "calls/call.hpp"
#include "support/gateway/answers.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using namespace std::chrono_literals;

class CallMemoryTest : public test::GatewayWorld {
protected:
    void begin_with(const std::string& annotations) {
        server = add_server("box", Era::legacy);
        server->lists["tools/list"] =
            R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":)" +
            annotations + "}]}";
        begin();
    }
    test::Port call(const std::string& arguments = R"({"a":1})") {
        return request(Modern{}, "tools/call", R"("name":"t","arguments":)" + arguments);
    }

    std::shared_ptr<test::FakeServer> server;
};

TEST_F(CallMemoryTest, AnOldAnswerReplacesAFailureAndNamesItsAge) {
    policy = R"({"retry": "none", "staleFor": "60s"})";
    begin_with(R"({"readOnlyHint":true})");
    call();
    answer(server->last(), test::legacy_result(R"({"content":[{"type":"text","text":"good"}]})"));
    loop.run_for(10s);

    const auto port = call();
    answer(server->last(), CallFault{.message = "Gone"});

    EXPECT_NE(
        port->answer().find(R"({"type":"text","text":"This answer is 10 s old, since there is )"
                            R"(no new one: Gone"},{"type":"text","text":"good"})"),
        std::string::npos)
        << port->answer();
    EXPECT_NE(port->answer().find(R"("dev.holdfast/stale":{"age":10,"failure":{"code":)"),
              std::string::npos);
    EXPECT_EQ(port->answer().find("isError"), std::string::npos);
}

TEST_F(CallMemoryTest, ATooOldAnswerOrAnotherCallReplacesNothing) {
    policy = R"({"retry": "none", "staleFor": "5s"})";
    begin_with(R"({"readOnlyHint":true})");
    call();
    answer(server->last(), test::legacy_result(R"({"content":[]})"));

    const auto other = call(R"({"a":2})");
    answer(server->last(), CallFault{.message = "Gone"});
    loop.run_for(6s);
    const auto late = call();
    answer(server->last(), CallFault{.message = "Gone"});

    EXPECT_NE(other->answer().find(R"("isError":true)"), std::string::npos);
    EXPECT_NE(late->answer().find(R"("isError":true)"), std::string::npos);
}

TEST_F(CallMemoryTest, FailuresOfWritesAreNotReplaced) {
    policy = R"({"retry": "none", "staleFor": "60s"})";
    begin_with("{}");
    call();
    answer(server->last(), test::legacy_result(R"({"content":[]})"));

    const auto port = call();
    answer(server->last(), CallFault{.message = "Gone"});

    EXPECT_NE(port->answer().find(R"("isError":true)"), std::string::npos);
}

TEST_F(CallMemoryTest, ACallThatFailsAgainAndAgainIsNotSent) {
    begin_with("{}");
    for (int count = 0; count < 3; ++count) {
        call();
        answer(server->last(), test::legacy_result(R"({"content":[],"isError":true})"));
    }
    const std::size_t sent = server->calls.size();

    const auto held = call();

    EXPECT_EQ(server->calls.size(), sent);
    EXPECT_NE(held->answer().find("Do not repeat it"), std::string::npos) << held->answer();
    call(R"({"a":2})");
    EXPECT_EQ(server->calls.size(), sent + 1);
    loop.run_for(60s);
    call();
    EXPECT_EQ(server->calls.size(), sent + 2);
}

TEST_F(CallMemoryTest, TransientFailuresAreNotHeldBack) {
    policy = R"({"retry": "none", "circuit": "none"})";
    begin_with("{}");
    for (int count = 0; count < 5; ++count) {
        call();
        answer(server->last(), CallFault{.kind = CallFault::Kind::connection_lost});
    }
    const std::size_t sent = server->calls.size();

    call();

    EXPECT_EQ(server->calls.size(), sent + 1);
}

}  // namespace
}  // namespace holdfast::calls
