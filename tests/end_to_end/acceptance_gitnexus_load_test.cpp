#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "end_to_end/gitnexus_scene.hpp"

// The preset `gitnexus` with 200 concurrent calls and every failure of a bridge.

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCalls = 200;

class AcceptanceGitNexusLoad : public GitNexusTest {
protected:
    [[nodiscard]] std::vector<std::string> send_calls() {
        std::vector<std::string> requests;
        for (std::size_t index = 0; index < kCalls; ++index) {
            requests.push_back(agent().send(tool_call("search")));
        }
        return requests;
    }
    /// Returns the number of answers per code; those without a code count as "".
    [[nodiscard]] std::map<std::string, std::size_t> codes_of(
        const std::vector<std::string>& requests) {
        std::map<std::string, std::size_t> codes;
        for (const std::string& request : requests) {
            const std::string answer = agent().answer_to(request);
            EXPECT_NE(answer, "") << "no answer to " << request;
            const std::string wait = member_text(answer, "retryAfter");
            EXPECT_NE(wait, "0") << answer;
            ++codes[code_in(answer)];
        }
        return codes;
    }
    /// A second answer to any of them would have arrived before that of a later call.
    void expect_no_second_answer(const std::vector<std::string>& requests) {
        std::ignore = agent().request({.method = "tools/list"});
        for (const std::string& message : agent().kept()) {
            const std::string id = member_text(message, "id");
            EXPECT_EQ(std::ranges::find(requests, id), requests.end()) << message;
        }
    }
    /// Answers calls until none arrives for a while; every fifth gets no answer, every fifth an
    /// error.
    void serve_with_failures() {
        for (std::size_t index = 0;; ++index) {
            const std::string call = page().next_call(500ms);
            if (call.empty()) {
                return;
            }
            if (index % 5 == 1) {
                page().send(R"({"jsonrpc":"2.0","id":)" + call +
                            R"(,"error":{"code":-32000,"message":"Browser not connected"}})");
            } else if (index % 5 != 3) {
                page().answer(call, "fine");
            }
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceGitNexusLoad,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[2]), name_of_leg);

TEST_P(AcceptanceGitNexusLoad, EachOf200CallsThroughHangsAndErrorsGetsOneAnswer) {
    start({"GITNEXUS_TIMEOUT_QUICK=60"}, "20");
    const std::vector<std::string> requests = send_calls();

    serve_with_failures();

    const auto codes = codes_of(requests);
    expect_no_second_answer(requests);
    EXPECT_GE(codes.at(""), 1U);
    EXPECT_GE(codes.at("TIMEOUT"), 1U);
    EXPECT_GE(codes.at("CONNECTION_LOST"), 1U);
}

TEST_P(AcceptanceGitNexusLoad, EachOf200CallsThroughALostSocketGetsOneAnswer) {
    start({}, "20");
    const std::vector<std::string> requests = send_calls();
    for (int count = 0; count < 10; ++count) {
        const std::string call = page().next_call();
        ASSERT_NE(call, "");
        page().answer(call, "fine");
    }

    close_page();

    const auto codes = codes_of(requests);
    expect_no_second_answer(requests);
    EXPECT_GE(codes.at(""), 1U);
    EXPECT_GE(codes.at("CONNECTION_LOST"), 1U);
    EXPECT_FALSE(codes.contains("TIMEOUT"));
}

TEST_P(AcceptanceGitNexusLoad, OneOf200CallsIsTheProbe) {
    start({}, "10");
    for (int count = 0; count < 5; ++count) {
        const std::string request = agent().send(tool_call("search"));
        page().send(R"({"jsonrpc":"2.0","id":)" + page().next_call() +
                    R"(,"error":{"code":-32000,"message":"Browser not connected"}})");
        ASSERT_EQ(code_in(agent().answer_to(request)), "CONNECTION_LOST");
    }
    // The circuit stays open for 30 s; then the first call is the probe.
    std::string probing;
    std::string probe;
    for (int count = 0; count < 500 && probe.empty(); ++count) {
        probing = agent().send(tool_call("search"));
        probe = page().next_call(50ms);
    }
    ASSERT_NE(probe, "");

    const std::vector<std::string> requests = send_calls();

    const auto codes = codes_of(requests);
    EXPECT_EQ(codes.at("CIRCUIT_OPEN"), kCalls) << "more than one probe was sent";
    page().answer(probe, "well again");
    EXPECT_EQ(plain_text(member_text(agent().answer_to(probing), "text")), "well again");
    expect_no_second_answer(requests);
    expect_answered_call("closed again");
}

}  // namespace
}  // namespace holdfast::test
