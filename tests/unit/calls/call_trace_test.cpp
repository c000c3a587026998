// Records of calls, and events of connections.
#include "calls/call_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "support/gateway/answers.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using record::CallRecord;
using record::Event;
using namespace std::chrono_literals;

struct KeptRecords final : record::Recorder {
    void on_call(const CallRecord& record) override { calls.push_back(kept(record)); }
    void on_event(Event event) override { events.push_back(std::move(event)); }

    std::vector<std::shared_ptr<const CallRecord>> calls;
    std::vector<Event> events;
};

class CallTraceTest : public test::GatewayWorld {
protected:
    void begin_with(const std::string& annotations = "{}") {
        options.recorder = records;
        server = add_server("box", Era::legacy);
        server->lists["tools/list"] =
            R"({"tools":[{"name":"t","inputSchema":{"type":"object","properties":)"
            R"({"a":{"type":"integer"}}},"annotations":)" +
            annotations + "}]}";
        begin();
    }
    test::Port call(const std::string& arguments = R"({"a":1})", const char* tool = "t") {
        return request(Modern{.more_meta = R"(,"dev.holdfast/callId":true)"}, "tools/call",
                       R"("name":")" + std::string{tool} + R"(","arguments":)" + arguments);
    }
    [[nodiscard]] const CallRecord& only_call() const {
        EXPECT_EQ(records->calls.size(), 1U);
        static const CallRecord none;
        return records->calls.empty() ? none : *records->calls.front();
    }

    std::shared_ptr<KeptRecords> records = std::make_shared<KeptRecords>();
    std::shared_ptr<test::FakeServer> server;
};

TEST_F(CallTraceTest, ASuccessCarriesNoIdUnlessTheAgentAsksForIt) {
    begin_with();
    const auto plain = request(Modern{}, "tools/call", R"("name":"t","arguments":{"a":1})", "1");
    answer(server->last(), test::legacy_result(R"({"content":[]})"));
    const auto failed = request(Modern{}, "tools/call", R"("name":"t","arguments":{"a":1})", "2");
    answer(server->last(), test::legacy_result(R"({"content":[],"isError":true})"));

    EXPECT_EQ(test::call_id_in(plain->whole_answer()), "") << plain->whole_answer();
    EXPECT_NE(test::call_id_in(failed->whole_answer()), "") << failed->whole_answer();
}

TEST_F(CallTraceTest, AnAnswerCarriesTheIdOfItsRecord) {
    begin_with();
    const auto port = call();
    loop.run_for(20ms);
    answer(server->last(), test::legacy_result(R"({"content":[]})"));

    const CallRecord& record = only_call();
    EXPECT_EQ(record.id, test::call_id_in(port->whole_answer()));
    EXPECT_NE(record.id, "");
    EXPECT_EQ(record.outcome, "ok");
    EXPECT_EQ(record.tool, "t");
    EXPECT_EQ(record.server, "box");
    EXPECT_EQ(record.principal, "ada");
    EXPECT_EQ(record.route, "by its name");
    EXPECT_EQ(record.circuit, "box");
    EXPECT_EQ(record.circuit_before, "closed");
    EXPECT_EQ(record.circuit_after, "closed");
    EXPECT_EQ(record.total_us, 20'000);
    EXPECT_EQ(record.bytes_out, port->whole_answer().size());
    ASSERT_EQ(record.attempts.size(), 1U);
    EXPECT_EQ(record.attempts[0].end, "answered");
    EXPECT_EQ(record.attempts[0].took_us, 20'000);
    EXPECT_FALSE(record.is_failure());
}

TEST_F(CallTraceTest, EveryAttemptIsRecordedWithItsEnd) {
    policy =
        R"({"retry": {"attempts": 2, "delay": "1s", "jitter": 0}, "circuit": {"failures": 1}})";
    begin_with(R"({"readOnlyHint":true})");
    call();
    answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});
    loop.run_for(1s);
    answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});

    const CallRecord& record = only_call();
    EXPECT_EQ(record.outcome, "RETRY_EXHAUSTED");
    EXPECT_NE(record.message, "");
    EXPECT_TRUE(record.is_failure());
    ASSERT_EQ(record.attempts.size(), 2U);
    EXPECT_EQ(record.attempts[0].end, "malformed");
    EXPECT_EQ(record.attempts[0].detail, "junk");
    EXPECT_EQ(record.attempts[1].began_us, 1'000'000);
    EXPECT_EQ(record.circuit_before, "closed");
    EXPECT_EQ(record.circuit_after, "open");
}

TEST_F(CallTraceTest, AToolErrorIsNotAFailureOfTheCall) {
    begin_with();
    call();
    answer(server->last(), test::legacy_result(R"({"content":[],"isError":true})"));

    EXPECT_EQ(only_call().outcome, "tool_error");
    EXPECT_FALSE(only_call().is_failure());
}

TEST_F(CallTraceTest, CallsThatAreNotSentAreRecordedToo) {
    begin_with();
    const auto unknown = call("{}", "tt");
    const auto wrong = call(R"({"a":"text"})");

    ASSERT_EQ(records->calls.size(), 2U);
    EXPECT_EQ(records->calls[0]->outcome, "TOOL_NOT_FOUND");
    EXPECT_EQ(records->calls[0]->tool, "tt");
    EXPECT_NE(unknown->answer().find(R"("callId":")" + std::string{records->calls[0]->id}),
              std::string::npos);
    EXPECT_EQ(records->calls[1]->outcome, "INVALID_ARGUMENTS");
    EXPECT_EQ(records->calls[1]->server, "box");
    EXPECT_NE(wrong->answer().find(R"("callId":")" + std::string{records->calls[1]->id}),
              std::string::npos);
    EXPECT_TRUE(records->calls[1]->attempts.empty());
}

TEST_F(CallTraceTest, MistakesOfAgentsDoNotCountAsServerFailures) {
    policy = R"({"repeatGuard": {"failures": 2}})";
    begin_with();
    call("{}", "tt");
    for (int count = 0; count < 3; ++count) {
        call(R"({"a":"text"})");
    }
    gateway().refuse_new_calls();
    call();

    ASSERT_EQ(records->calls.size(), 5U);
    EXPECT_EQ(records->calls[3]->outcome, "HELD_BACK");
    for (const auto& record : records->calls) {
        EXPECT_TRUE(record->is_failure()) << record->outcome;
        EXPECT_EQ(record->is_server_failure(), record->outcome == "SHUTTING_DOWN")
            << record->outcome;
    }
}

TEST_F(CallTraceTest, CallsThatAreRefusedWhileStoppingAreRecordedToo) {
    begin_with();
    gateway().refuse_new_calls();
    const auto port = call();

    EXPECT_EQ(only_call().outcome, "SHUTTING_DOWN");
    EXPECT_EQ(only_call().tool, "t");
    EXPECT_EQ(only_call().server, "box");
    EXPECT_NE(port->answer().find(R"("callId":")" + std::string{only_call().id}),
              std::string::npos);
}

TEST_F(CallTraceTest, ACancelledCallIsRecordedOnce) {
    begin_with();
    const auto port = call();
    port->gone();
    loop.run_for(1s);

    EXPECT_EQ(only_call().outcome, "cancelled");
}

TEST_F(CallTraceTest, AServerThatIsDownIsAnEventWithItsReasonAndTheNextTry) {
    options.recorder = records;
    server = add_server("box", Era::legacy);
    server->is_down = true;
    begin();

    ASSERT_GE(records->events.size(), 2U);
    EXPECT_EQ(records->events[0].what, record::EventWhat::connecting);
    const Event& down = records->events[1];
    EXPECT_EQ(down.kind, record::EventKind::connection);
    EXPECT_EQ(down.what, record::EventWhat::waiting);
    EXPECT_EQ(down.server, "box");
    EXPECT_EQ(down.reason, "It is down.");
    EXPECT_GT(down.wait_ms, 0);
    server->is_down = false;
    loop.run_for(1min);
    EXPECT_EQ(records->events.back().what, record::EventWhat::ready);
}

}  // namespace
}  // namespace holdfast::calls
