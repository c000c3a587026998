// Old answers that replace failures, and calls that keep failing.
#include <gtest/gtest.h>

#include <chrono>

#include "calls/call.hpp"
#include "mcp/protocol_error.hpp"
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

    /// Makes the same call fail repeatedly.
    void fail_with(const downstream::CallResult& result, int times) {
        for (int count = 0; count < times; ++count) {
            const std::size_t sent = server->calls.size();
            const auto port = call();
            ASSERT_EQ(server->calls.size(), sent + 1) << port->answer();
            answer(server->last(), result);
        }
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

constexpr const char* kGuarded = R"({"retry": "none", "circuit": "none", "repeatGuard": {}})";

TEST_F(CallMemoryTest, ByDefaultEveryCallIsSent) {
    policy = R"({"circuit": "none"})";
    begin_with("{}");

    fail_with(test::error_answer(-32602, R"("message":"no such page")"), 10);

    EXPECT_EQ(server->calls.size(), 10U);
}

TEST_F(CallMemoryTest, ACallThatFailsAgainAndAgainIsNotSent) {
    policy = kGuarded;
    begin_with("{}");
    fail_with(test::error_answer(-32602, R"("message":"no such page")"), 3);

    const std::string held = call()->answer();

    EXPECT_EQ(server->calls.size(), 3U);
    EXPECT_NE(held.find(R"("code":"HELD_BACK")"), std::string::npos) << held;
    EXPECT_NE(held.find(R"("retryable":false,"sideEffects":"none")"), std::string::npos) << held;
    EXPECT_EQ(held.find("retryAfter"), std::string::npos) << held;
    EXPECT_NE(held.find("no such page"), std::string::npos) << held;
    EXPECT_NE(held.find("Use other arguments or another tool."), std::string::npos) << held;
    call(R"({"a":2})");
    EXPECT_EQ(server->calls.size(), 4U);
    loop.run_for(60s);
    call();
    EXPECT_EQ(server->calls.size(), 5U);
}

TEST_F(CallMemoryTest, ErrorResultsOfToolsAreNotHeldBack) {
    policy = kGuarded;
    begin_with("{}");

    fail_with(test::legacy_result(R"({"content":[],"isError":true})"), 10);

    EXPECT_EQ(server->calls.size(), 10U);
}

TEST_F(CallMemoryTest, ErrorsThatTellTheAgentHowToContinueAreNotHeldBack) {
    policy = kGuarded;
    begin_with("{}");

    fail_with(test::error_answer(mcp::kMissingClientCapability, R"("message":"needs elicitation")"),
              10);

    EXPECT_EQ(server->calls.size(), 10U);
}

TEST_F(CallMemoryTest, ASuccessfulWriteAtTheServerLiftsWhatIsHeldBack) {
    policy = kGuarded;
    begin_with(R"({"readOnlyHint":true}},{"name":"w","inputSchema":{"type":"object"},)"
               R"("annotations":{})");
    fail_with(test::error_answer(-32602, R"("message":"no such page")"), 3);
    call();
    ASSERT_EQ(server->calls.size(), 3U);

    request(Modern{}, "tools/call", R"("name":"w","arguments":{})");
    answer(server->last(), test::legacy_result(R"({"content":[]})"));
    call();

    EXPECT_EQ(server->calls.size(), 5U);
}

TEST_F(CallMemoryTest, TransientFailuresAreNotHeldBack) {
    policy = kGuarded;
    begin_with("{}");

    fail_with(CallFault{.kind = CallFault::Kind::connection_lost}, 10);

    EXPECT_EQ(server->calls.size(), 10U);
}

}  // namespace
}  // namespace holdfast::calls
