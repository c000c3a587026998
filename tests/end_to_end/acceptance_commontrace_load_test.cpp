#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"
#include "support/process_watch.hpp"

// The preset `commontrace` with 200 concurrent calls while its backend misbehaves. A second server
// of the same preset has a healthy backend: failures of the first must not affect it.

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCalls = 200;
constexpr auto kOpen = 30'000ms / 20;

/// Every kind of failure in turn.
net::HttpReply troubled(std::size_t count) {
    const std::array<net::HttpReply, 6> replies{{
        {.status = 200, .body = kTags},
        {.status = 500, .body = "{}"},
        {.status = HttpBackend::kSilent},
        {.status = 422, .body = R"({"detail":"no"})"},
        {.status = 200, .content_type = "text/html", .body = "<html>"},
        {.status = 302, .body = ""},
    }};
    return replies[count % replies.size()];
}

class CommonTraceLoad : public CommonTraceTest {
protected:
    void start_both(const std::string& clock_rate, const std::string& timeout) {
        for (const auto& [name, url] :
             {std::pair{"traces", backend.url()}, std::pair{"spare", spare.url()}}) {
            scene.add_server(name,
                             R"({"type":"rest","url":")" + url + R"(","preset":"commontrace"})");
        }
        scene.add_section(R"("names":{"prefix":"always"})");
        ASSERT_TRUE(scene.start({"--stdio", "--clock-rate", clock_rate},
                                {"COMMONTRACE_API_KEY=k", "COMMONTRACE_READ_TIMEOUT=" + timeout,
                                 "COMMONTRACE_WRITE_TIMEOUT=" + timeout}));
        agent_ = std::make_unique<TestAgent>(scene.agent(GetParam()));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("traces__vote_trace"));
        ASSERT_TRUE(agent_->finds_tool("spare__vote_trace"));
    }
    /// Sends 200 calls of all tools to one server before it reads an answer. Returns how many
    /// answers had each failure code; "ok" for a result.
    std::map<std::string, std::size_t> calls_at_once(const std::string& server) {
        std::vector<std::pair<std::string, Effect>> sent;
        for (std::size_t count = 0; count < kCalls; ++count) {
            const TraceCall& call = kTraceCalls[count % kTraceCalls.size()];
            sent.emplace_back(agent_->send(tool_call(server + "__" + call.tool, call.arguments)),
                              call.effect);
        }
        std::map<std::string, std::size_t> ends;
        for (const auto& [id, effect] : sent) {
            const std::string answer = agent_->answer_to(id);
            EXPECT_NE(readable_text(answer), "") << answer;
            const std::string code = plain_text(member_text(answer, "code"));
            ++ends[code.empty() ? "ok" : code];
            if (code == "CIRCUIT_OPEN") {
                EXPECT_EQ(readable_text(answer), unavailable_text(effect));
            }
        }
        return ends;
    }
    /// Fails if the agent received anything after its answers.
    void expect_nothing_more() {
        EXPECT_EQ(text_in(agent_->request(tool_call("spare__list_tags"))), "No tags yet.");
        for (const std::string& message : agent_->kept()) {
            EXPECT_EQ(member_text(message, "result"), "") << message;
        }
    }

    std::atomic<std::size_t> answered_{0};
    HttpBackend backend{
        [this](const BackendRequest& /*request*/) { return troubled(answered_++); }};
    HttpBackend spare{commontrace_api()};
    std::unique_ptr<TestAgent> agent_;
};

INSTANTIATE_TEST_SUITE_P(Over, CommonTraceLoad, ::testing::Values(kAgentLegs[0], kAgentLegs[1]),
                         name_of_leg);

TEST_P(CommonTraceLoad, TwoHundredCallsDuringFailuresGetOneAnswerEach) {
    start_both("1", "1");

    std::size_t answers = 0;
    for (const auto& [code, number] : calls_at_once("traces")) {
        answers += number;
    }

    EXPECT_EQ(answers, kCalls);
    EXPECT_LE(backend.requests().size(), kCalls);  // no call is repeated
    expect_nothing_more();
}

TEST_P(CommonTraceLoad, TheCircuitOpensForOneServerAndNotForTheOther) {
    start_both("1", "60");
    for (const TraceCall& call : kTraceCalls) {
        backend.answer(call.line, 500, "{}");
    }

    const auto failed = calls_at_once("traces");
    const auto good = calls_at_once("spare");

    // Five failures open it; calls in flight at that time, at most 20, also reach the backend.
    EXPECT_GE(backend.requests().size(), 5U);
    EXPECT_LE(backend.requests().size(), 24U);
    EXPECT_EQ(failed.at("CIRCUIT_OPEN") + failed.at("DOWNSTREAM_ERROR"), kCalls);
    EXPECT_EQ(failed.at("DOWNSTREAM_ERROR"), backend.requests().size());
    EXPECT_FALSE(good.contains("CIRCUIT_OPEN"));
    EXPECT_EQ(spare.requests().size(), kCalls);
}

TEST_P(CommonTraceLoad, OnlyOneOfTwoHundredConcurrentCallsIsTheProbe) {
    start_both("20", "100");
    for (const TraceCall& call : kTraceCalls) {
        backend.answer(call.line, 500, "{}");
    }
    for (int index = 0; index < 5; ++index) {
        EXPECT_EQ(member_text(agent_->request(tool_call("traces__list_tags")), "code"),
                  "\"DOWNSTREAM_ERROR\"");
    }
    for (const TraceCall& call : kTraceCalls) {
        backend.be_silent(call.line);
    }
    std::this_thread::sleep_for(kOpen + 200ms);
    const std::size_t before = backend.requests().size();

    const auto ends = calls_at_once("traces");

    EXPECT_EQ(backend.requests().size(), before + 1);
    EXPECT_EQ(ends.at("CIRCUIT_OPEN"), kCalls - 1);
    EXPECT_EQ(ends.at("TIMEOUT"), 1U);
}

}  // namespace
}  // namespace holdfast::test
