// A write that was sent and not answered is never sent twice, whatever fails.

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;
constexpr std::size_t kFaults = 500;  ///< On each of the two transports to the downstream.
constexpr int kCallsAtOnce = 6;
constexpr unsigned kSeed = 20'251'125;

struct WriteOnceRow {
    std::string name;
    bool is_http = false;
    std::vector<std::string> faults;
};

void PrintTo(const WriteOnceRow& row, std::ostream* out) {
    *out << row.name;
}

/// Returns one fault per call, most of them quick.
std::vector<std::string> random_faults(const std::vector<std::string>& kinds) {
    std::mt19937 random{kSeed};
    std::vector<std::string> faults;
    for (std::size_t i = 0; i < kFaults; ++i) {
        faults.push_back(kinds.at(random() % kinds.size()));
    }
    faults.emplace_back("ok the last one");
    return faults;
}

class WriteOnce : public testing::TestWithParam<WriteOnceRow> {
protected:
    void SetUp() override {
        // Short delays without a limit of attempts, so that there are many faults in a short time.
        // The preset decides what is repeated.
        const std::string entry =
            R"("reconnect":{"delay":"200ms","maxDelay":"200ms","jitter":0,"attempts":1000000})";
        scene_.scene().add_server(
            "store", GetParam().is_http ? server_.http_entry(entry) : server_.stdio_entry(entry));
        scene_.scene().add_section(
            R"("preset":"ucp","policies":{"default":{"attemptTimeout":"2s","waitForConnection":true,)"
            R"("circuit":{"failures":1000000}}})");
        scene_.start(kAcceptanceLegs[1], kRate, "write");
    }

    /// Makes several concurrent calls, each with its own number; each gets one answer.
    void call_at_once() {
        scene_.listen();
        std::map<std::string, std::string> numbers;
        for (int i = 0; i < kCallsAtOnce; ++i) {
            const std::string number = std::to_string(++last_number_);
            numbers[scene_.agent().send(tool_call("write", R"({"q":")" + number + "\"}"))] = number;
        }
        for (const auto& [id, number] : numbers) {
            answers_[R"({"q":")" + number + "\"}"] = scene_.agent().answer_to(id);
        }
    }

    TroubledServer server_{{unmarked_tool("write")}};
    Acceptance scene_;
    int last_number_ = 0;
    std::map<std::string, std::string> answers_;  // by the arguments of the call
};

TEST_P(WriteOnce, AWriteThatWasSentIsNeverSentTwice) {
    server_.does(random_faults(GetParam().faults));

    ASSERT_TRUE(eventually(
        [this] {
            call_at_once();
            return server_.arrival_count() > kFaults;
        },
        90s));

    std::map<std::string, int> arrivals;
    for (const Sighting& arrival : server_.arrivals()) {
        EXPECT_EQ(++arrivals[arrival.arguments], 1) << arrival.arguments << " came again";
        EXPECT_TRUE(answers_.contains(arrival.arguments))
            << "came, and nobody asked for it: " << arrival.tool << ' ' << arrival.arguments;
    }
    EXPECT_GT(arrivals.size(), kFaults);
    for (const auto& [arguments, answer] : answers_) {
        EXPECT_TRUE(has(answer, R"("result":)")) << arguments << ": " << answer;
        const bool is_unanswered = has(answer, "CONNECTION_LOST") || has(answer, "TIMEOUT");
        if (is_unanswered && arrivals.contains(arguments)) {
            EXPECT_TRUE(has(answer, R"("sideEffects":"possible")")) << answer;
            EXPECT_TRUE(has(answer, R"("retryable":false)")) << answer;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Over500Faults, WriteOnce,
    testing::Values(WriteOnceRow{"Stdio",
                                 false,
                                 {"die", "halfdie x", "close", "junk", "wrongid x", "hang",
                                  "twice x", "trickle x", "late 20 ok x", "error HTTP 503",
                                  "rpc -32603 broken", "late 20 die", "late 10 junk"}},
                    WriteOnceRow{
                        "Http",
                        true,
                        {"status 503 - down", "status 429 1 slow", "status 404 - no", "junk",
                         "half of it", "close", "hang", "trickle x", "late 20 ok x",
                         "late 20 close", "rpc -32603 broken", "status 200 - {}", "wrongid x"}}),
    [](const testing::TestParamInfo<WriteOnceRow>& info) { return info.param.name; });

}  // namespace
}  // namespace holdfast::test
