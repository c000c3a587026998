#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "end_to_end/commontrace_scene.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The preset `commontrace` in front of a backend that misbehaves: what the agent receives. Each
// test is named after the figure that it shows.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

using AcceptanceCommonTrace = CommonTraceTest;

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceCommonTrace,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1], kAgentLegs[4]),
                         name_of_leg);

/// Serves one call manually: `serve` gets the connection after the complete request has arrived,
/// and does not close it.
template <class Serve>
std::string served(TestAgent& agent, const LoopbackListener& listener, const TraceCall& call,
                   Serve serve) {
    const std::string id = agent.send(request_of(call));
    {
        const ByteStream connection = listener.accept();
        EXPECT_NE(http_request_from(connection), "");
        serve(connection);
    }
    return agent.answer_to(id);
}

TEST_P(AcceptanceCommonTrace, ReadsEndAfter200MillisecondsOnTheRealClock) {
    const LoopbackListener listener;
    start(listener.url());
    for (const TraceCall& call : kTraceCalls) {
        if (call.effect == Effect::writes) {
            continue;
        }
        const auto begin = Clock::now();
        std::string rest;

        const std::string answer =
            served(agent(), listener, call, [&rest](const ByteStream& connection) {
                EXPECT_FALSE(connection.read_into(rest));  // The gateway closes the connection.
            });

        EXPECT_GE(Clock::now() - begin, 200ms) << call.tool;
        EXPECT_LT(Clock::now() - begin, 10s) << call.tool;
        EXPECT_EQ(readable_text(answer), timeout_text(Effect::reads));
        EXPECT_EQ(member_text(answer, "code"), "\"TIMEOUT\"");
    }
}

TEST_P(AcceptanceCommonTrace, WritesEndAfter2SecondsOnTheRealClockAndSayThatTheyMayBeRecorded) {
    const LoopbackListener listener;
    start(listener.url());
    for (const TraceCall& call : kTraceCalls) {
        if (call.effect == Effect::reads) {
            continue;
        }
        const auto begin = Clock::now();
        std::string rest;

        const std::string answer = served(
            agent(), listener, call,
            [&rest](const ByteStream& connection) { EXPECT_FALSE(connection.read_into(rest)); });

        EXPECT_GE(Clock::now() - begin, 2s) << call.tool;
        EXPECT_LT(Clock::now() - begin, 15s) << call.tool;
        EXPECT_EQ(readable_text(answer), timeout_text(Effect::writes));
        EXPECT_EQ(member_text(answer, "sideEffects"), "\"possible\"") << answer;
        EXPECT_EQ(member_text(answer, "retryable"), "false") << answer;
    }
}

TEST_P(AcceptanceCommonTrace, AnAnswerThatTricklesIsATimeout) {
    const LoopbackListener listener;
    start(listener.url());

    const std::string answer =
        served(agent(), listener, kListTags, [](const ByteStream& connection) {
            EXPECT_TRUE(connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"));
            std::string nothing;
            for (int bytes = 0; bytes < 1'000 && connection.write("x"); ++bytes) {
                if (is_readable(connection.input(), 10ms)) {
                    EXPECT_FALSE(connection.read_into(nothing));
                    return;
                }
            }
            ADD_FAILURE() << "the gateway waits for all of it";
        });

    EXPECT_EQ(readable_text(answer), timeout_text(Effect::reads));
}

TEST_P(AcceptanceCommonTrace, RefusedIsUnavailableAndNotATimeout) {
    LoopbackListener listener;
    listener.close();
    start("http://127.0.0.1:" + std::to_string(listener.port()),
          {"COMMONTRACE_CIRCUIT_FAILURE_THRESHOLD=50"});
    for (const TraceCall& call : kTraceCalls) {
        const std::string answer = agent().request(request_of(call));

        EXPECT_EQ(readable_text(answer), unavailable_text(call.effect)) << call.tool;
        EXPECT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
        EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;
    }
}

TEST_P(AcceptanceCommonTrace, ClosedDuringACallIsUnavailable) {
    const LoopbackListener listener;
    start(listener.url(), {"COMMONTRACE_READ_TIMEOUT=10", "COMMONTRACE_WRITE_TIMEOUT=10"});
    for (const std::string_view last_words :
         {"", "HTTP/1.1 200 OK\r\nContent-",
          "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"ha"}) {
        for (const TraceCall& call : {kListTags, kContribute}) {
            const std::string answer =
                served(agent(), listener, call, [last_words](const ByteStream& connection) {
                    EXPECT_TRUE(connection.write(last_words));
                });

            EXPECT_EQ(readable_text(answer), unavailable_text(call.effect)) << last_words;
        }
        // Answers in between, so that the circuit stays closed.
        const std::string answer =
            served(agent(), listener, kListTags, [](const ByteStream& connection) {
                EXPECT_TRUE(connection.write(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 11\r\n\r\n"
                    "{\"tags\":[]}"));
            });
        EXPECT_EQ(readable_text(answer), "No tags yet.");
    }
}

TEST_P(AcceptanceCommonTrace, ServerErrorsAreUnavailableAndNotRepeated) {
    HttpBackend backend;
    start(backend.url(), {"COMMONTRACE_READ_TIMEOUT=10", "COMMONTRACE_WRITE_TIMEOUT=10",
                          "COMMONTRACE_CIRCUIT_FAILURE_THRESHOLD=50"});
    std::size_t count = 0;
    for (const TraceCall& call : kTraceCalls) {
        backend.answer(call.line, 500 + static_cast<int>(count), R"({"detail":"all is lost"})");

        EXPECT_EQ(called(call), unavailable_text(call.effect)) << call.tool;

        EXPECT_EQ(backend.requests().size(), ++count) << call.tool;
        EXPECT_EQ(backend.last().line, call.line);
    }
}

TEST_P(AcceptanceCommonTrace, ClientErrorsShowTheStatusAndTheDetailOfTheBackend) {
    HttpBackend backend;
    start(backend.url(), {"COMMONTRACE_READ_TIMEOUT=10", "COMMONTRACE_WRITE_TIMEOUT=10"});
    struct Row {
        int status = 0;
        std::string body = {};
        std::string shown = {};
    };
    const std::array<Row, 7> rows{{
        {422, R"({"detail":"the title is empty"})", "the title is empty"},
        {422, R"({"detail":[{"loc":["body","title"],"msg":"too short"}]})",
         R"([{"loc":["body","title"],"msg":"too short"}])"},
        {400, R"({"message":"no"})", R"({"message":"no"})"},
        {404, "not here", "not here"},
        {401, R"({"detail":"who are you"})", "who are you"},
        {403, R"({"detail":"not you"})", "not you"},
        {429, R"({"detail":"slow down"})", "slow down"},
    }};
    for (const Row& row : rows) {
        for (const TraceCall& call : {kListTags, kContribute}) {
            backend.answer(call.line, row.status, row.body);

            EXPECT_EQ(called(call),
                      "[CommonTrace error] HTTP " + std::to_string(row.status) + ": " + row.shown);
        }
    }
}

TEST_P(AcceptanceCommonTrace, AnUnrequestedSecondAnswerIsDropped) {
    const LoopbackListener listener;
    start(listener.url(), {"COMMONTRACE_READ_TIMEOUT=10"});
    const std::string first =
        served(agent(), listener, kListTags, [](const ByteStream& connection) {
            EXPECT_TRUE(connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"tags\":[\"first\"]}"
                "HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"tags\":[\"twice\"]}"));
        });
    EXPECT_EQ(readable_text(first), "1 tag:\nfirst");

    const std::string second =
        served(agent(), listener, kListTags, [](const ByteStream& connection) {
            EXPECT_TRUE(connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{\"tags\":[\"second\"]}"));
        });

    EXPECT_EQ(readable_text(second), "1 tag:\nsecond");
}

}  // namespace
}  // namespace holdfast::test
