#include "telemetry/explained_calls.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

telemetry::ExplainedCalls::Call call(int number, const std::string& server = "s",
                                     std::string_view outcome = "ok") {
    const std::string id = "id-" + std::to_string(number);
    const std::string tool = "t" + std::to_string(number % 2);
    record::CallRecord record;
    record.id = id;
    record.at_ms = number;
    record.server = server;
    record.tool = tool;
    record.outcome = outcome;
    return kept(record);
}

std::vector<std::string> ids(const std::vector<telemetry::ExplainedCalls::Call>& calls) {
    std::vector<std::string> result;
    for (const auto& one : calls) {
        result.emplace_back(one->id);
    }
    return result;
}

using Ids = std::vector<std::string>;

void add(telemetry::ExplainedCalls& calls, const telemetry::ExplainedCalls::Call& one) {
    calls.add({&one, 1});
}

TEST(ExplainedCallsTest, FindsACallById) {
    telemetry::ExplainedCalls calls;
    add(calls, call(1));
    add(calls, call(2));

    EXPECT_EQ(calls.find("id-2")->at_ms, 2);
    EXPECT_EQ(calls.find("id-3"), nullptr);
}

TEST(ExplainedCallsTest, ReturnsTheNewestFirst) {
    telemetry::ExplainedCalls calls;
    for (int number = 1; number <= 100; ++number) {
        add(calls, call(number));
    }

    EXPECT_EQ(ids(calls.latest(3)), (Ids{"id-100", "id-99", "id-98"}));
    EXPECT_EQ(calls.latest(1'000).size(), 100U);
}

TEST(ExplainedCallsTest, Filters) {
    telemetry::ExplainedCalls calls;
    add(calls, call(1, "a", "TIMEOUT"));
    add(calls, call(2, "a"));
    add(calls, call(3, "b", "TIMEOUT"));
    add(calls, call(4, "b", "tool_error"));

    EXPECT_EQ(ids(calls.latest(9, {.only_failed = true})), (Ids{"id-3", "id-1"}));
    EXPECT_EQ(ids(calls.latest(9, {.server = "a"})), (Ids{"id-2", "id-1"}));
    EXPECT_EQ(ids(calls.latest(9, {.only_failed = true, .server = "a"})), (Ids{"id-1"}));
    EXPECT_EQ(ids(calls.latest(9, {.tool = "t0"})), (Ids{"id-4", "id-2"}));
}

TEST(ExplainedCallsTest, KeepsOnlyTheLastCalls) {
    telemetry::ExplainedCalls calls{{.max_calls = 160}};
    for (int number = 1; number <= 10'000; ++number) {
        add(calls, call(number));
    }

    EXPECT_EQ(calls.latest(10'000).size(), 160U);
    EXPECT_EQ(calls.find("id-1"), nullptr);
    EXPECT_NE(calls.find("id-10000"), nullptr);
    EXPECT_GT(calls.latest(160).back()->at_ms, 9'000);
}

TEST(ExplainedCallsTest, CanBeDisabled) {
    telemetry::ExplainedCalls calls{{.max_calls = 0}};
    add(calls, call(1));

    EXPECT_EQ(calls.find("id-1"), nullptr);
    EXPECT_TRUE(calls.latest(9).empty());
}

}  // namespace
}  // namespace holdfast::telemetry
