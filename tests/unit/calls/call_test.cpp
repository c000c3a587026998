#include "calls/call.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using test::legacy_result;
using test::modern_result;
using test::RecordingPort;
using namespace std::chrono_literals;

constexpr const char* kCall = R"({"name":"t","arguments":{"n": 1.0}})";

class CallTest : public test::GatewayWorld {
protected:
    void begin_with(Era era) {
        server = add_server("box", era);
        begin();
        session = connect(std::string{test::kAllAbilities});
    }
    test::Port call(const std::string& id = "1") {
        return request(session, "tools/call", kCall, id);
    }

    std::shared_ptr<test::FakeServer> server;
    std::shared_ptr<agents::AgentSession> session;
};

TEST_F(CallTest, RelaysACallAndItsAnswer) {
    begin_with(Era::legacy);

    const auto port = call("\"id\"");
    ASSERT_EQ(server->calls.size(), 1U);
    EXPECT_EQ(server->last().request.params_members, R"("name":"t","arguments":{"n": 1.0})");
    EXPECT_EQ(server->last().request.name, "t");
    EXPECT_EQ(port->ends(), 0U);
    answer(server->last(), legacy_result(R"({"content":[ ]})"));

    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":"id","result":{"content":[ ]}})");
    EXPECT_TRUE(session->is_idle());
}

TEST_F(CallTest, RefusesAnIdThatIsInFlight) {
    begin_with(Era::legacy);
    const auto first = call();

    const auto second = call();

    EXPECT_EQ(server->calls.size(), 1U);
    EXPECT_NE(second->answer().find("-32600"), std::string::npos);
    answer(server->last(), legacy_result("{}"));
    EXPECT_EQ(first->ends(), 1U);
    const auto third = call();
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(CallTest, DistinguishesNumbersFromStringsInIds) {
    begin_with(Era::legacy);

    const auto number = call("1");
    const auto string = call("\"1\"");

    EXPECT_EQ(server->calls.size(), 2U);
    answer(*server->calls[1], legacy_result("{}"));
    EXPECT_EQ(number->ends(), 0U);
    EXPECT_EQ(string->ends(), 1U);
}

TEST_F(CallTest, EndsAtItsDeadline) {
    begin_with(Era::legacy);
    const auto port = call();

    loop.run_for(59'999ms);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_EQ(port->ends(), 1U);
    EXPECT_NE(port->answer().find(R"("isError":true)"), std::string::npos);
    EXPECT_NE(port->answer().find(R"(\"code\":\"TIMEOUT\",\"tool\":\"t\",\"server\":\"box\")"),
              std::string::npos);
    EXPECT_NE(port->answer().find(R"("sideEffects":"possible")"), std::string::npos);
    EXPECT_EQ(port->answer().find("structuredContent"), std::string::npos);
    EXPECT_TRUE(server->last().is_cancelled);
    EXPECT_TRUE(session->is_idle());
}

TEST_F(CallTest, AHungReadOnlyToolTimesOutAfter50SecondsByDefault) {
    policy = "{}";
    begin_with(Era::legacy);
    const auto port = request(session, "tools/call", R"({"name":"safe"})");

    loop.run_for(49'999ms);
    EXPECT_EQ(port->ends(), 0U);
    EXPECT_EQ(server->calls.size(), 2U) << "the second attempt has the time that is left";
    loop.run_for(1ms);

    EXPECT_EQ(port->ends(), 1U);
    EXPECT_NE(port->answer().find(R"("code":"TIMEOUT")"), std::string::npos) << port->answer();
}

TEST_F(CallTest, AHungUnmarkedToolTimesOutAfter30SecondsByDefault) {
    policy = "{}";
    begin_with(Era::legacy);
    const auto port = call();

    loop.run_for(29'999ms);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_EQ(port->ends(), 1U);
    EXPECT_NE(port->answer().find(R"("code":"TIMEOUT")"), std::string::npos) << port->answer();
    EXPECT_EQ(server->calls.size(), 1U);
}

TEST_F(CallTest, IsCarefulWithAToolThatHasAnOutputSchema) {
    begin_with(Era::legacy);
    const auto port = request(session, "tools/call", R"({"name":"safe"})");

    loop.run_for(60s);

    EXPECT_EQ(port->answer().find("structuredContent"), std::string::npos);
    EXPECT_NE(port->answer().find(R"("retryable":true)"), std::string::npos);
    EXPECT_NE(port->answer().find(R"("sideEffects":"none")"), std::string::npos);
}

TEST_F(CallTest, FailsOtherMethodsAsErrors) {
    begin_with(Era::legacy);
    const auto port = request(session, "prompts/get", R"({"name":"p"})");

    answer(server->last(), CallFault{.kind = CallFault::Kind::rate_limited,
                                     .message = "Slow down",
                                     .delivery = resilience::Delivery::answered,
                                     .http_status = 429,
                                     .retry_after = 3s});

    EXPECT_EQ(port->answer(),
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Slow down. Try again )"
              R"(in 3 s.","data":{"code":"RATE_LIMITED","server":"box","message":"Slow down",)"
              R"("retryable":true,"retryAfter":3,"sideEffects":"none","attempts":1,)"
              R"("callId":"secret0-1"}}})");
}

TEST_F(CallTest, MarksFailuresForModernAgentsAsComplete) {
    begin_with(Era::legacy);
    const auto port = request(Modern{}, "tools/call", R"("name":"t")");

    answer(server->last(), CallFault{.message = "Gone"});

    EXPECT_TRUE(port->answer().starts_with(
        R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[)"))
        << port->answer();
}

TEST_F(CallTest, IsCancelledByItsAgent) {
    begin_with(Era::legacy);
    const auto port = call();

    notify(*session, "notifications/cancelled", R"({"requestId":"1"})");
    EXPECT_EQ(port->ends(), 0U);
    notify(*session, "notifications/cancelled", R"({"requestId":1})");
    notify(*session, "notifications/cancelled", R"({"requestId":1})");

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_TRUE(port->answers.empty());
    EXPECT_TRUE(server->last().is_cancelled);
    loop.run_for(10min);
    EXPECT_EQ(port->ends(), 1U);
    EXPECT_TRUE(session->is_idle());
}

TEST_F(CallTest, IsNotCancelledAfterItsAnswer) {
    begin_with(Era::legacy);
    const auto port = call();
    answer(server->last(), legacy_result("{}"));

    notify(*session, "notifications/cancelled", R"({"requestId":1})");

    EXPECT_EQ(port->abandoned, 0U);
    EXPECT_EQ(port->ends(), 1U);
}

TEST_F(CallTest, IsCancelledInTheStepThatBroughtTheAnswer) {
    begin_with(Era::legacy);
    const auto port = call();

    on_loop([&] {
        server->last().answer(legacy_result("{}"));
        session->cancel("1");
    });

    EXPECT_EQ(port->ends(), 1U);
}

TEST_F(CallTest, IsCancelledInTheStepThatStartedIt) {
    begin_with(Era::legacy);
    const auto port = std::make_shared<RecordingPort>();
    const std::string text =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}})";

    on_loop([&] {
        const jsonrpc::PaddedText padded{text};
        const dispatch::RequestDispatcher dispatcher{gateway().shared_from_this()};
        dispatcher.on_request({.message = *jsonrpc::thread_reader().read(padded),
                               .agent = session->agent(),
                               .session = session,
                               .port = port,
                               .loop = home()});
        session->cancel("1");
    });

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_EQ(port->ends(), 1U);
}

TEST_F(CallTest, EndsWithTheConnectionOfAModernAgent) {
    begin_with(Era::legacy);
    const auto port = request(Modern{}, "tools/call", R"("name":"t")");

    on_loop([&] { port->gone(); });

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_TRUE(server->last().is_cancelled);
}

TEST_F(CallTest, EndsWithTheSession) {
    begin_with(Era::legacy);
    const auto port = call();

    on_loop([&] { gateway().end_session(session); });

    EXPECT_EQ(port->ends(), 1U);
    EXPECT_TRUE(server->last().is_cancelled);
}

TEST_F(CallTest, RestoresTheProgressTokenAsItWasWritten) {
    begin_with(Era::legacy);
    for (const std::string token : {"0", "\"\"", "9007199254740993", "1.0", "\"x\""}) {
        const auto port = request(session, "tools/call",
                                  R"({"name":"t","_meta":{"progressToken":)" + token + "}}");
        EXPECT_TRUE(server->last().request.wants_progress);

        on_loop([&] {
            server->last().notify("notifications/progress",
                                  R"({"progressToken":77,"progress":1.50,"message":"m"})");
        });

        ASSERT_EQ(port->sent.size(), 1U) << token;
        EXPECT_EQ(port->sent[0], R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                                 R"({"progressToken":)" +
                                     token + R"(,"progress":1.50,"message":"m"}})");
        answer(server->last(), legacy_result("{}"));
    }
}

TEST_F(CallTest, DropsProgressThatIsUnwantedOrDoesNotIncrease) {
    begin_with(Era::legacy);
    const auto unwanted = call("1");
    on_loop([&] { server->last().notify("notifications/progress", R"({"progress":1})"); });
    EXPECT_TRUE(unwanted->sent.empty());

    const auto wanted =
        request(session, "tools/call", R"({"name":"t","_meta":{"progressToken":5}})", "2");
    on_loop([&] {
        for (const std::string progress : {"1", "1", "0.5", "2"}) {
            server->last().notify("notifications/progress", R"({"progress":)" + progress + "}");
        }
    });
    EXPECT_EQ(wanted->sent.size(), 2U);
}

TEST_F(CallTest, SendsNothingAfterTheAnswer) {
    begin_with(Era::legacy);
    const auto port = request(session, "tools/call", R"({"name":"t","_meta":{"progressToken":5}})");
    answer(server->last(), legacy_result("{}"));

    on_loop([&] {
        server->last().notify("notifications/progress", R"({"progress":1})");
        server->last().notify("notifications/message", R"({"level":"error","data":1})");
        server->last().ask("roots/list", "");
    });

    EXPECT_TRUE(port->sent.empty());
    ASSERT_EQ(server->last().replies->size(), 1U);
    EXPECT_EQ(server->last().replies->at(0).body, "dropped");
}

TEST_F(CallTest, FiltersTheLogOfALegacyAgentByItsLevel) {
    begin_with(Era::legacy);
    const auto log_all = [this] {
        on_loop([&] {
            for (const std::string level : {"debug", "warning", "error"}) {
                server->last().notify("notifications/message",
                                      R"({"level":")" + level + R"(","data": 1.0})");
            }
        });
    };
    const auto before = call("1");
    log_all();
    EXPECT_EQ(before->sent.size(), 3U);

    request(session, "logging/setLevel", R"({"level":"warning"})", "2");
    const auto after = call("3");
    log_all();

    ASSERT_EQ(after->sent.size(), 2U);
    EXPECT_EQ(after->sent[0], R"({"jsonrpc":"2.0","method":"notifications/message",)"
                              R"("params":{"level":"warning","data": 1.0}})");
}

TEST_F(CallTest, SendsAModernAgentTheLogThatItsRequestAskedFor) {
    begin_with(Era::modern);
    const auto silent = request(Modern{}, "tools/call", R"("name":"t")", "1");
    on_loop([&] { server->last().notify("notifications/message", R"({"level":"error"})"); });
    EXPECT_TRUE(silent->sent.empty());

    const auto loud =
        request(Modern{.more_meta = R"(,"io.modelcontextprotocol/logLevel":"warning")"},
                "tools/call", R"("name":"t")", "2");
    EXPECT_EQ(server->last().request.log_level, "warning");
    on_loop([&] {
        server->last().notify("notifications/message", R"({"level":"info"})");
        server->last().notify("notifications/message", R"({"level":"error"})");
    });
    EXPECT_EQ(loud->sent.size(), 1U);
}

TEST_F(CallTest, SendsTheLogLevelOfALegacySessionToAModernServer) {
    begin_with(Era::modern);
    call("1");
    EXPECT_EQ(server->last().request.log_level, "");

    request(session, "logging/setLevel", R"({"level":"notice"})", "2");
    call("3");

    EXPECT_EQ(server->last().request.log_level, "notice");
}

TEST_F(CallTest, RelaysTheQuestionsOfAModernServerToAModernAgent) {
    begin_with(Era::modern);
    const std::string result =
        R"({"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},)"
        R"("requestState":"theirs"})";
    const auto first = request(Modern{}, "tools/call", R"("name":"t")");
    answer(server->last(), modern_result(result));
    EXPECT_EQ(first->answer(), R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");

    const auto second =
        request(Modern{}, "tools/call",
                R"("name":"t","inputResponses":{"k":{}},"requestState":"theirs")", "2");

    EXPECT_EQ(server->last().request.params_members,
              R"("name":"t","inputResponses":{"k":{}},"requestState":"theirs","arguments":{})");
    EXPECT_EQ(parked(), 0U);
}

TEST_F(CallTest, RunsAToolThatIsATaskAsAPlainOne) {
    server = add_server("box", Era::legacy);
    server->lists["tools/list"] =
        R"({"tools":[{"name":"slow","inputSchema":{},"execution":{"taskSupport":"required"}}]})";
    begin();
    session = connect();
    const auto port = request(session, "tools/call", R"({"name":"slow"})");
    EXPECT_EQ(server->last().request.params_members, R"("name":"slow","arguments":{},"task":{})");

    answer(server->last(), legacy_result(R"({"task":{"taskId":"x","status":"working"}})"));
    ASSERT_EQ(server->calls.size(), 2U);
    EXPECT_EQ(server->last().request.method, "tasks/result");
    EXPECT_EQ(server->last().request.params_members, R"("taskId":"x")");
    answer(server->last(), legacy_result(R"({"content":[]})"));

    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
}

TEST_F(CallTest, AnswersEveryCallWhenTheGatewayStops) {
    begin_with(Era::legacy);
    const auto legacy = call();
    const auto modern = request(Modern{}, "tools/call", R"("name":"t")");

    boost::asio::co_spawn(loop.context, gateway().stop(), [](const std::exception_ptr&) {});
    loop.run_for(30s);

    EXPECT_EQ(legacy->ends(), 1U);
    EXPECT_EQ(modern->ends(), 1U);
}

}  // namespace
}  // namespace holdfast::calls
