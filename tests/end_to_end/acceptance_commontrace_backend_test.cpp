#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The preset `commontrace` and its backend: what is sent, with which key, on how many connections,
// and the variables that change its figures.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

using AcceptanceCommonTraceBackend = CommonTraceTest;

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceCommonTraceBackend,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1]), name_of_leg);

constexpr std::string_view kNoTags = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"tags\":[]}";

bool reaches(const ByteStream& connection) {
    return connection.input() >= 0;
}

TEST_P(AcceptanceCommonTraceBackend, ApiKeyIsInNoAnswerAndNoLog) {
    HttpBackend backend;
    start(backend.url(), {"COMMONTRACE_READ_TIMEOUT=10", "GITNEXUS_DEBUG=true"});
    std::string answers = agent().request({.method = "tools/list"});
    for (const int status : {200, 403, 422, 500}) {
        backend.answer(kListTags.line, status, R"({"detail":"bad key key-of-the-gateway"})");
        for (int count = 0; count < 5; ++count) {
            AgentRequest request = request_of(kListTags);
            request.meta = R"("dev.holdfast/debug":true)";
            answers += agent().request(request);
            EXPECT_EQ(backend.last().header("x-api-key"), "key-of-the-gateway");
        }
    }
    answers +=
        agent().request(tool_call("search_traces", R"({"query":"key-of-the-gateway","limit":99})"));

    // The backend's own text in a result belongs to the agent; everything else is ours.
    EXPECT_NE(answers.find("HTTP 422: bad key [redacted]"), std::string::npos) << answers;
    const std::string own = answers.substr(answers.find("HTTP 403"));
    EXPECT_EQ(own.find("key-of-the-gateway"), std::string::npos) << own;
    EXPECT_EQ(scene.gateway().stop(), 0);
    const std::string& log = scene.gateway().program().all_error_text();
    EXPECT_NE(log, "");
    EXPECT_EQ(log.find("key-of-the-gateway"), std::string::npos) << log;
}

TEST_P(AcceptanceCommonTraceBackend, NoKeyIsAReadableResultAndNothingIsSent) {
    HttpBackend backend;
    scene.add_server("traces",
                     R"({"type":"rest","url":")" + backend.url() + R"(","preset":"commontrace"})");
    ASSERT_TRUE(scene.start({"--stdio"}, {"COMMONTRACE_API_KEY="}));
    open_agent();
    for (const TraceCall& call : kTraceCalls) {
        // More often than the number of failures that opens the circuit.
        for (int count = 0; count < 2; ++count) {
            EXPECT_TRUE(called(call).starts_with("[CommonTrace error] No API key is set."));
        }
    }
    EXPECT_TRUE(backend.requests().empty());
}

/// Connections of the gateway, each with one request at a time.
class Connections final {
public:
    explicit Connections(const LoopbackListener& listener) : listener_(&listener) {}

    [[nodiscard]] bool take_one(std::chrono::milliseconds limit = kPatience) {
        ByteStream connection = listener_->accept(limit);
        const bool is_there = reaches(connection);
        if (is_there) {
            forget_closed();
            open_.push_back(std::move(connection));
        }
        return is_there;
    }
    /// Answers every request that has arrived and returns their number.
    [[nodiscard]] std::size_t answer_all() {
        std::size_t count = 0;
        for (const ByteStream& connection : open_) {
            std::string request;
            if (is_readable(connection.input(), 0ms) && connection.read_into(request)) {
                EXPECT_TRUE(connection.write(kNoTags));
                ++count;
            }
        }
        return count;
    }
    [[nodiscard]] std::size_t count() const { return open_.size(); }
    void forget_closed() {
        std::erase_if(open_, [](const ByteStream& connection) {
            char byte = 0;
            return ::recv(connection.input(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
        });
    }

private:
    const LoopbackListener* listener_;
    std::vector<ByteStream> open_;
};

TEST_P(AcceptanceCommonTraceBackend, UsesTwentyConnectionsAndKeepsTenAlive) {
    const LoopbackListener listener;
    start(listener.url(), {"COMMONTRACE_READ_TIMEOUT=60"});
    std::vector<std::string> ids;
    for (int count = 0; count < 25; ++count) {
        ids.push_back(agent().send(request_of(kListTags)));
    }
    Connections connections{listener};
    for (int count = 0; count < 20; ++count) {
        ASSERT_TRUE(connections.take_one());
    }
    EXPECT_FALSE(connections.take_one(200ms));

    // The five waiting requests are sent when others have their answers, never on a 21st
    // connection.
    std::size_t answered = 0;
    EXPECT_TRUE(eventually([&] {
        answered += connections.answer_all();
        if (connections.take_one(1ms)) {
            EXPECT_LE(connections.count(), 20U);
        }
        return answered == ids.size();
    })) << answered;
    for (const std::string& id : ids) {
        EXPECT_EQ(readable_text(agent().answer_to(id)), "No tags yet.");
    }

    EXPECT_TRUE(eventually([&] {
        connections.forget_closed();
        return connections.count() == 10;
    })) << connections.count();
}

TEST_P(AcceptanceCommonTraceBackend, ConnectsFor2Seconds) {
    // Connections that are not accepted fill the queue; the system does not answer later ones.
    const LoopbackListener listener{0, 0};
    const std::array<ByteStream, 2> filling{ByteStream::connected_to(listener.port()),
                                            ByteStream{-1, -1}};
    ASSERT_TRUE(reaches(filling[0]));
    start(listener.url(), {"COMMONTRACE_READ_TIMEOUT=60"});
    const auto begin = Clock::now();

    const std::string answer = agent().request(request_of(kListTags));

    EXPECT_GE(Clock::now() - begin, 2s);
    EXPECT_LT(Clock::now() - begin, 15s);
    EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;
    EXPECT_EQ(readable_text(answer), timeout_text(Effect::reads)) << answer;
}

TEST_P(AcceptanceCommonTraceBackend, WaitsFor5SecondsForAnythingElse) {
    HttpBackend backend;
    backend.be_silent(kListTags.line);
    start(backend.url(), {"COMMONTRACE_READ_TIMEOUT=600"}, "10");
    const auto begin = Clock::now();

    EXPECT_EQ(called(kListTags), timeout_text(Effect::reads));

    EXPECT_GE(Clock::now() - begin, 5s / 10);
    EXPECT_LT(Clock::now() - begin, 15s);
}

TEST_P(AcceptanceCommonTraceBackend, VariablesSetTheUrlThresholdRecoveryAndTimeouts) {
    HttpBackend backend;
    scene.add_server("traces", R"({"type":"rest","preset":"commontrace"})");
    ASSERT_TRUE(scene.start(
        {"--stdio"},
        {"COMMONTRACE_API_BASE_URL=" + backend.url(), "COMMONTRACE_CIRCUIT_FAILURE_THRESHOLD=2",
         "COMMONTRACE_CIRCUIT_RECOVERY_TIMEOUT=1.5", "COMMONTRACE_READ_TIMEOUT=0.6",
         "COMMONTRACE_WRITE_TIMEOUT=0.9", "COMMONTRACE_API_KEY=k"}));
    open_agent();
    backend.be_silent(kListTags.line);
    backend.be_silent(kContribute.line);
    auto begin = Clock::now();
    EXPECT_EQ(called(kListTags), timeout_text(Effect::reads));
    EXPECT_GE(Clock::now() - begin, 600ms);
    begin = Clock::now();
    EXPECT_EQ(called(kContribute), timeout_text(Effect::writes));
    EXPECT_GE(Clock::now() - begin, 900ms);
    EXPECT_EQ(code_of_call(kListTags), "CIRCUIT_OPEN");

    backend.answer(kListTags.line, 200, kTags);
    EXPECT_TRUE(eventually([this] { return called(kListTags) == kTagsText; }));
    EXPECT_GE(Clock::now() - begin, 900ms + 1500ms);
}

TEST_P(AcceptanceCommonTraceBackend, NamesOfTheOriginalAreTheSecondChoiceAndNamedAtTheStart) {
    HttpBackend backend{commontrace_api()};
    scene.add_server("traces", R"({"type":"rest","preset":"commontrace"})");
    ASSERT_TRUE(scene.start(
        {"--stdio"},
        {"API_BASE_URL=" + backend.url(), "CIRCUIT_FAILURE_THRESHOLD=2", "READ_TIMEOUT=20",
         "WRITE_TIMEOUT=1", "COMMONTRACE_WRITE_TIMEOUT=20", "COMMONTRACE_API_KEY=k"}));
    open_agent();
    EXPECT_EQ(called(kListTags), "No tags yet.");

    backend.answer(kListTags.line, 500, "{}");
    EXPECT_EQ(code_of_call(kListTags), "DOWNSTREAM_ERROR");
    EXPECT_EQ(code_of_call(kListTags), "DOWNSTREAM_ERROR");
    EXPECT_EQ(code_of_call(kListTags), "CIRCUIT_OPEN");

    EXPECT_EQ(scene.gateway().stop(), 0);
    const std::string& log = scene.gateway().program().all_error_text();
    for (const std::string_view name :
         {"API_BASE_URL", "CIRCUIT_FAILURE_THRESHOLD", "READ_TIMEOUT"}) {
        EXPECT_TRUE(has(log, name)) << log;
    }
    EXPECT_FALSE(has(log, "WRITE_TIMEOUT")) << "the preferred variable is set: " << log;
}

}  // namespace
}  // namespace holdfast::test
