// Batches of parallel calls to a program that works on one call at a time.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 10;
constexpr std::string_view kSerialCall = "serial 150 ok read";  // 1.5 s of the gateway

class QueueWait : public testing::TestWithParam<AgentLeg> {
protected:
    void start(const std::string& policy = "{}") {
        server_.does({std::string{kSerialCall}});
        scene_.scene().add_server("box", server_.stdio_entry(R"("policy":"tried")"));
        scene_.scene().add_section(R"("policies":{"tried":)" + policy + "}");
        scene_.start(GetParam(), kRate, "read");
    }

    /// Sends parallel calls and returns their answers.
    std::vector<std::string> answers_to(std::size_t calls) {
        std::vector<std::string> ids;
        for (std::size_t call = 0; call < calls; ++call) {
            ids.push_back(scene_.agent().send(tool_call("read")));
        }
        std::vector<std::string> answers;
        for (const std::string& id : ids) {
            scene_.listen();
            answers.push_back(scene_.agent().answer_to(id));
        }
        return answers;
    }

    TroubledServer server_{{read_only_tool("read")}};
    Acceptance scene_;
};

std::string failure_field(const std::string& answer, std::string_view name) {
    return member_text(member_text(answer, "dev.holdfast/failure"), name);
}

TEST_P(QueueWait, AllCallsOfABatchSucceedWithinTheirDeadline) {
    start();
    const auto begin = std::chrono::steady_clock::now();

    for (const std::string& answer : answers_to(20)) {
        EXPECT_TRUE(has(answer, R"("text":"read")")) << answer;
        EXPECT_EQ(failure_field(answer, "code"), "") << answer;
    }

    EXPECT_GE(std::chrono::steady_clock::now() - begin, scene_.real(30s));
    EXPECT_EQ(server_.arrival_count(), 20U);
}

TEST_P(QueueWait, ACallThatCannotEndBeforeItsDeadlineIsRefusedAtOnce) {
    start(R"({"timeout":"15s","limit":{"inFlight":1}})");
    answers_to(6);  // Shows the gateway how fast the server is.

    std::vector<std::string> refused;
    for (const std::string& answer : answers_to(20)) {
        if (failure_field(answer, "code") == R"("OVERLOADED")") {
            refused.push_back(answer);
        }
    }

    EXPECT_GE(refused.size(), 5U);
    for (const std::string& answer : refused) {
        EXPECT_EQ(failure_field(answer, "retryable"), "true") << answer;
        EXPECT_GE(std::stoi(failure_field(answer, "retryAfter")), 15) << answer;
        EXPECT_TRUE(has(text_in(answer), "would take longer than its timeout")) << answer;
    }
    EXPECT_LE(server_.arrival_count(), 26U - refused.size());
}

INSTANTIATE_TEST_SUITE_P(Agent, QueueWait, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
