#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The circuit of the preset `commontrace`. Time runs twenty times as fast where the test waits for
// the circuit; a read then has twenty seconds of that time, so that a busy machine does not cause a
// timeout.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kOpen = 30'000ms / 20;
const std::vector<std::string> kLongTimeouts{"COMMONTRACE_READ_TIMEOUT=100",
                                             "COMMONTRACE_WRITE_TIMEOUT=100"};

class AcceptanceCommonTraceCircuit : public CommonTraceTest {
protected:
    void fail_calls(int count, int status = 500) {
        backend.answer(kListTags.line, status, "{}");
        for (int index = 0; index < count; ++index) {
            EXPECT_EQ(code_of_call(kListTags), "DOWNSTREAM_ERROR");
        }
    }
    /// Calls until one call reaches the backend.
    void call_until_one_arrives() {
        const std::size_t before = backend.requests().size();
        EXPECT_TRUE(eventually([&] {
            std::ignore = called(kListTags);
            return backend.requests().size() > before;
        }));
        EXPECT_EQ(backend.requests().size(), before + 1);
    }
    [[nodiscard]] bool refuses() {
        const std::size_t before = backend.requests().size();
        const bool is_refused = code_of_call(kListTags) == "CIRCUIT_OPEN";
        EXPECT_EQ(backend.requests().size(), before + (is_refused ? 0 : 1));
        return is_refused;
    }

    HttpBackend backend;
};

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceCommonTraceCircuit,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1]), name_of_leg);

TEST_P(AcceptanceCommonTraceCircuit, OpensAfterFiveConsecutiveServerErrorsForAllTools) {
    start(backend.url(), kLongTimeouts);
    fail_calls(5);

    for (const TraceCall& call : kTraceCalls) {
        const std::string answer = agent().request(request_of(call));
        EXPECT_EQ(readable_text(answer), unavailable_text(call.effect)) << call.tool;
        EXPECT_EQ(member_text(answer, "code"), "\"CIRCUIT_OPEN\"") << answer;
        EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
    }
    EXPECT_EQ(backend.requests().size(), 5U);
    EXPECT_NE(scene.gateway().program().rest_of_error_line("opened for 30 s after 5 failure"), "");
}

TEST_P(AcceptanceCommonTraceCircuit, ASuccessResetsTheCount) {
    start(backend.url(), kLongTimeouts);
    fail_calls(4);
    backend.answer(kListTags.line, 200, kTags);
    EXPECT_EQ(called(kListTags), kTagsText);
    fail_calls(4);

    EXPECT_FALSE(refuses());
    EXPECT_TRUE(refuses());
}

TEST_P(AcceptanceCommonTraceCircuit, ClientErrorsDoNotCount) {
    start(backend.url(), kLongTimeouts);
    fail_calls(4);
    for (const int status : {400, 401, 403, 404, 409, 422, 429}) {
        backend.answer(kListTags.line, status, R"({"detail":"no"})");
        EXPECT_EQ(called(kListTags), "[CommonTrace error] HTTP " + std::to_string(status) + ": no");
    }
    EXPECT_EQ(backend.requests().size(), 11U);
}

TEST_P(AcceptanceCommonTraceCircuit, TimeoutsCount) {
    start(backend.url());
    backend.be_silent(kListTags.line);
    for (int index = 0; index < 5; ++index) {
        EXPECT_EQ(code_of_call(kListTags), "TIMEOUT");
    }
    EXPECT_TRUE(refuses());
}

TEST_P(AcceptanceCommonTraceCircuit, RefusedConnectionsCount) {
    LoopbackListener listener;
    listener.close();
    start("http://127.0.0.1:" + std::to_string(listener.port()), kLongTimeouts);
    for (int index = 0; index < 5; ++index) {
        EXPECT_EQ(code_of_call(kListTags), "CONNECTION_LOST");
    }
    EXPECT_EQ(code_of_call(kContribute), "CIRCUIT_OPEN");
}

TEST_P(AcceptanceCommonTraceCircuit, SendsAProbeAfter30SecondsWhoseSuccessCloses) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(4);
    const auto before_opening = Clock::now();
    fail_calls(1);
    backend.answer(kListTags.line, 200, kTags);

    call_until_one_arrives();

    EXPECT_GE(Clock::now() - before_opening, kOpen);
    for (int index = 0; index < 5; ++index) {
        EXPECT_FALSE(refuses());
    }
}

TEST_P(AcceptanceCommonTraceCircuit, AFailedProbeReopensIt) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(5);
    const auto before_reopening = Clock::now();
    call_until_one_arrives();

    EXPECT_TRUE(refuses());
    EXPECT_NE(scene.gateway().program().rest_of_error_line(" reopened for "), "");
    call_until_one_arrives();
    EXPECT_GE(Clock::now() - before_reopening, 2 * kOpen);
}

TEST_P(AcceptanceCommonTraceCircuit, AProbeThatIsAClientErrorClosesIt) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(5);
    backend.answer(kListTags.line, 422, R"({"detail":"no"})");

    call_until_one_arrives();

    for (int index = 0; index < 3; ++index) {
        EXPECT_FALSE(refuses());
    }
    fail_calls(4);
    EXPECT_FALSE(refuses());
}

TEST_P(AcceptanceCommonTraceCircuit, LetsOneProbeThroughAtATime) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(5);
    backend.be_silent(kListTags.line);
    std::string probe;
    ASSERT_TRUE(eventually([&] {
        // A refused call is answered immediately.
        probe = agent().send(request_of(kListTags));
        return eventually([&] { return backend.requests().size() == 6; }, 400ms);
    }));

    for (const TraceCall& call : kTraceCalls) {
        EXPECT_EQ(code_of_call(call), "CIRCUIT_OPEN") << call.tool;
    }

    EXPECT_EQ(backend.requests().size(), 6U);
    EXPECT_EQ(readable_text(agent().answer_to(probe)), timeout_text(Effect::reads));
}

TEST_P(AcceptanceCommonTraceCircuit, OnlyOneOfManyConcurrentCallsIsTheProbe) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(5);
    backend.be_silent(kListTags.line);
    std::this_thread::sleep_for(kOpen + 100ms);
    std::vector<std::string> requests;
    for (int count = 0; count < 20; ++count) {
        requests.push_back(agent().send(request_of(kListTags)));
    }

    std::size_t refused = 0;
    for (const std::string& request : requests) {
        const std::string answer = agent().answer_to(request);
        refused += member_text(answer, "code") == "\"CIRCUIT_OPEN\"" ? 1 : 0;
    }

    EXPECT_EQ(refused, 19U);
    EXPECT_EQ(backend.requests().size(), 6U);
}

TEST_P(AcceptanceCommonTraceCircuit, ReportsTheRealTimeLeft) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(4);
    const auto before_opening = Clock::now();
    fail_calls(1);
    const auto after_opening = Clock::now();
    int shortest = 30;
    while (shortest > 10) {
        std::this_thread::sleep_for(50ms);  // one second of gateway time
        const auto asked = Clock::now();
        const std::string answer = agent().request(request_of(kListTags));
        const auto answered = Clock::now();
        ASSERT_EQ(member_text(answer, "code"), "\"CIRCUIT_OPEN\"") << answer;
        shortest = std::stoi(member_text(answer, "retryAfter"));
        EXPECT_GE(shortest * 1s, 30s - (answered - before_opening) * 20);
        EXPECT_LE((shortest - 1) * 1s, 30s - (asked - after_opening) * 20);
    }
}

TEST_P(AcceptanceCommonTraceCircuit, ALogThatIsNotReadDelaysNoCall) {
    start(backend.url(), kLongTimeouts);
    fail_calls(5);
    for (int count = 0; count < 1'500; ++count) {  // each call writes a log line
        ASSERT_EQ(code_of_call(kListTags), "CIRCUIT_OPEN") << count;
    }
}

TEST_P(AcceptanceCommonTraceCircuit, ACancelledProbeFreesItsSlot) {
    start(backend.url(), kLongTimeouts, "20");
    fail_calls(5);
    backend.be_silent(kListTags.line);
    std::string probe;
    ASSERT_TRUE(eventually([&] {
        probe = agent().send(request_of(kListTags));
        return eventually([&] { return backend.requests().size() == 6; }, 400ms);
    }));
    backend.answer(kContribute.line, 200, R"({"id":"1","status":"pending"})");

    agent().cancel(probe);

    EXPECT_TRUE(eventually(
        [this] { return called(kContribute) == "Trace submitted. ID: 1. Status: pending."; }));
}

}  // namespace
}  // namespace holdfast::test
