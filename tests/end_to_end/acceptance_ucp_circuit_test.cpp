// The preset `ucp`: the circuit of a server, and what is retried.

#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;
constexpr auto kNoise = 900ms;  // tolerance for a busy machine
const std::string kBroken = "rpc -32603 it broke";

class UcpCircuit : public testing::TestWithParam<AgentLeg> {
protected:
    void start(int rate, const std::string& section = {}) {
        scene_.scene().add_server("store", server_.stdio_entry());
        scene_.scene().add_server("good", good_.stdio_entry());
        scene_.scene().add_section(R"("preset":"ucp")");
        if (!section.empty()) {
            scene_.scene().add_section(section);
        }
        scene_.start(GetParam(), rate, "store__write");
        ASSERT_TRUE(scene_.agent().finds_tool("good__read"));
    }
    [[nodiscard]] bool is_refused() { return scene_.code("store__write") == "CIRCUIT_OPEN"; }
    void open_circuit() {
        server_.does({kBroken});
        for (int i = 0; i < 5; ++i) {
            EXPECT_FALSE(is_refused()) << i;
        }
        EXPECT_EQ(server_.arrival_count(), 5U);
        opened_at_ = server_.arrivals().back().at;
    }
    /// Sends calls until `count` of them are in flight at the server, and returns their ids.
    [[nodiscard]] std::vector<std::string> send_until_arrived(std::size_t count) {
        const std::size_t before = server_.arrival_count();
        std::vector<std::string> ids;
        const bool have_arrived = eventually([&] {
            scene_.listen();
            const std::size_t seen = server_.arrival_count();
            const std::string id = scene_.agent().send(tool_call("store__write"));
            if (eventually([&] { return server_.arrival_count() > seen; }, 100ms)) {
                ids.push_back(id);
            }
            return server_.arrival_count() == before + count;
        });
        EXPECT_TRUE(have_arrived);
        return ids;
    }

    TroubledServer server_{{read_only_tool("read"), unmarked_tool("write")}};
    TroubledServer good_{{read_only_tool("read")}};
    Acceptance scene_;
    std::chrono::nanoseconds opened_at_ = {};
};

TEST_P(UcpCircuit, OpensAfterFiveFailuresForSixtySeconds) {
    start(kRate);
    open_circuit();

    const std::string refusal = scene_.answer("store__write");

    const int left = std::stoi(member_text(refusal, "retryAfter"));
    EXPECT_TRUE(has(text_in(refusal),
                    "Circuit breaker is open for server store. Too many consecutive failures. Will "
                    "retry after timeout. " +
                        std::to_string(left) + " seconds left."))
        << refusal;
    EXPECT_TRUE(has(text_in(refusal), "- The same call in " + std::to_string(left) + " seconds"))
        << refusal;
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 60);
    EXPECT_EQ(server_.arrival_count(), 5U);
    EXPECT_EQ(scene_.code("good__read"), "");
    server_.does({"ok fine"});
    ASSERT_TRUE(eventually([this] { return !is_refused(); }));
    EXPECT_GE(server_.arrivals().back().at - opened_at_, scene_.real(60s));
}

TEST_P(UcpCircuit, ClosesAfterThreeSuccessfulProbes) {
    start(kRate);
    open_circuit();
    server_.does({"ok fine"});
    ASSERT_TRUE(eventually([this] { return !is_refused(); }));
    EXPECT_FALSE(is_refused());
    EXPECT_FALSE(is_refused());

    // Closed: four failures do not open it, and a success resets the count.
    server_.does({kBroken, kBroken, kBroken, kBroken, "ok fine", kBroken, "ok fine"});
    for (int i = 0; i < 7; ++i) {
        EXPECT_FALSE(is_refused()) << i;
    }
}

TEST_P(UcpCircuit, TwoSuccessesDoNotCloseItAndAFailureReopensIt) {
    start(kRate);
    open_circuit();
    server_.does({"ok fine"});
    ASSERT_TRUE(eventually([this] { return !is_refused(); }));
    EXPECT_FALSE(is_refused());
    server_.does({kBroken});
    EXPECT_FALSE(is_refused());
    const auto reopened_at = server_.arrivals().back().at;

    server_.does({"ok fine"});
    EXPECT_TRUE(is_refused());
    ASSERT_TRUE(eventually([this] { return !is_refused(); }));
    EXPECT_GE(server_.arrivals().back().at - reopened_at, scene_.real(60s));
}

TEST_P(UcpCircuit, AdmitsAtMostThreeProbesAtATime) {
    start(kRate);
    open_circuit();
    server_.does({"late 1200 ok fine"});

    const std::vector<std::string> probes = send_until_arrived(3);

    EXPECT_TRUE(is_refused());
    EXPECT_TRUE(is_refused());
    EXPECT_EQ(server_.arrival_count(), 8U);
    for (const std::string& probe : probes) {
        EXPECT_TRUE(has(scene_.agent().answer_to(probe), "fine"));
    }
    EXPECT_FALSE(is_refused());
}

TEST_P(UcpCircuit, EachAttemptCountsAndACircuitThatOpensBetweenAttemptsEndsTheCall) {
    start(kRate);
    // Three attempts of the first call and two of the second are five.
    server_.does({"junk"});
    const std::string first = scene_.answer("store__read");
    EXPECT_TRUE(has(first, R"("attempts":3)")) << first;
    const std::string second = scene_.answer("store__read");

    EXPECT_EQ(server_.arrival_count(), 5U);
    EXPECT_TRUE(has(second, R"("code":"MALFORMED_RESPONSE")")) << second;
    EXPECT_TRUE(has(second, R"("attempts":2)")) << second;
    EXPECT_TRUE(has(text_in(second), "Tool call failed after 2 attempts: store__read")) << second;
    EXPECT_EQ(scene_.code("store__read"), "CIRCUIT_OPEN");
    EXPECT_EQ(server_.arrival_count(), 5U);
}

TEST_P(UcpCircuit, TimeoutsOpenIt) {
    start(kRate);
    server_.does({"hang"});
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        ids.push_back(scene_.agent().send(tool_call("store__write")));
    }
    for (const std::string& id : ids) {
        EXPECT_TRUE(has(scene_.agent().answer_to(id), "TIMEOUT"));
    }
    EXPECT_TRUE(is_refused());
    EXPECT_EQ(server_.starts().size(), 1U);
}

TEST_P(UcpCircuit, CallsLostInOneCrashCountOnce) {
    start(kRate);
    server_.does_for("write", {"hang"});
    server_.does_for("read", {"die"});
    std::vector<std::string> ids;
    for (int i = 0; i < 6; ++i) {
        ids.push_back(scene_.agent().send(tool_call("store__write")));
    }
    ASSERT_TRUE(eventually([this] { return server_.arrival_count() == 6; }));
    std::ignore = scene_.agent().send(tool_call("store__read"));
    for (const std::string& id : ids) {
        EXPECT_TRUE(has(scene_.agent().answer_to(id), "CONNECTION_LOST"));
    }
    server_.does_for("write", {"ok fine"});
    EXPECT_TRUE(eventually([this] { return scene_.code("store__write").empty(); }));
}

TEST_P(UcpCircuit, AnErrorResultIsASuccessAndIsPassedOnUnchanged) {
    start(1);
    server_.does({"error no such record: rate limit exceeded, HTTP 503"});
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(scene_.result("store__read"),
                  error_result("no such record: rate limit exceeded, HTTP 503"));
    }
    EXPECT_EQ(server_.arrival_count(), 6U);
}

TEST_P(UcpCircuit, WaitsOneAndTwoSecondsBetweenThreeAttempts) {
    start(1);
    server_.does({"junk"});

    const std::string answer = scene_.answer("store__read");

    EXPECT_TRUE(has(text_in(answer), "Tool call failed after 3 attempts: store__read")) << answer;
    const auto arrivals = server_.arrivals();
    ASSERT_EQ(arrivals.size(), 3U);
    EXPECT_GE(arrivals[1].at - arrivals[0].at, 1s);
    EXPECT_LT(arrivals[1].at - arrivals[0].at, 1s + kNoise);
    EXPECT_GE(arrivals[2].at - arrivals[1].at, 2s);
    EXPECT_LT(arrivals[2].at - arrivals[1].at, 2s + kNoise);
}

TEST_P(UcpCircuit, WaitsFourSecondsBeforeAFourthAttemptIfConfigured) {
    start(kRate, R"("policies":{"default":{"retry":{"attempts":4}}})");
    server_.does({"junk"});

    std::ignore = scene_.answer("store__read");

    const auto arrivals = server_.arrivals();
    ASSERT_EQ(arrivals.size(), 4U);
    EXPECT_GE(arrivals[3].at - arrivals[2].at, scene_.real(4s));
    EXPECT_LT(arrivals[3].at - arrivals[2].at, scene_.real(4s) + kNoise);
}

TEST_P(UcpCircuit, TheAttemptTimeoutIsConfigurable) {
    start(kRate, R"("policies":{"default":{"attemptTimeout":"10s"}})");
    server_.does({"hang"});

    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(has(scene_.answer("store__write"), "TIMEOUT"));
    const auto took = std::chrono::steady_clock::now() - began;
    EXPECT_GE(took, scene_.real(10s));
    EXPECT_LT(took, scene_.real(10s) + kNoise);
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpCircuit, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
