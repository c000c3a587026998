#include "telemetry/store/call_groups.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

constexpr std::int64_t kMinute = 60'000;

record::CallRecord call(std::string_view id, std::int64_t at_ms = 0) {
    static constexpr record::AttemptRecord kAttempt{.server = "s", .began_us = 1, .took_us = 2};
    return {.id = id,
            .at_ms = at_ms,
            .tool = "t",
            .server = "s",
            .outcome = "ok",
            .total_us = 3,
            .bytes_in = 4,
            .bytes_out = 5,
            .attempts = {&kAttempt, 1}};
}

TEST(CallGroupsTest, GroupsEqualCalls) {
    telemetry::CallGroups groups{10};
    const record::CallRecord one = call("a", 10);
    record::CallRecord other = call("b", 7);
    other.session = 0xfe;

    groups.add(one);
    groups.add(other);

    ASSERT_EQ(groups.all().size(), 1U);
    EXPECT_EQ(groups.all()[0].calls, R"([[10,"a","",0,3,4,5,1,2],[7,"b","fe",0,3,4,5,1,2]])");
    EXPECT_EQ(groups.all()[0].last_ms, 10);
    EXPECT_EQ(groups.all()[0].first, &one);
}

TEST(CallGroupsTest, StartsAnotherGroupForADifferentCall) {
    std::vector<record::CallRecord> calls{call("same"), call("same too")};
    calls.resize(13, call("different"));
    std::size_t next = 2;
    for (const auto text :
         {&record::CallRecord::principal, &record::CallRecord::method, &record::CallRecord::tool,
          &record::CallRecord::server, &record::CallRecord::route, &record::CallRecord::outcome,
          &record::CallRecord::message, &record::CallRecord::policy, &record::CallRecord::circuit,
          &record::CallRecord::circuit_before, &record::CallRecord::circuit_after}) {
        calls[next++].*text = "another";
    }
    calls.push_back(call("substituted"));
    calls.back().substitute = "another";
    calls.push_back(call("later", kMinute));

    telemetry::CallGroups groups{10};
    for (const record::CallRecord& each : calls) {
        groups.add(each);
    }

    EXPECT_EQ(groups.all().size(), calls.size() - 1);
}

TEST(CallGroupsTest, StartsAnotherGroupWhenOneIsFull) {
    telemetry::CallGroups groups{2};
    const record::CallRecord record = call("a");

    for (int number = 0; number < 5; ++number) {
        groups.add(record);
    }

    ASSERT_EQ(groups.all().size(), 3U);
    EXPECT_EQ(groups.all()[0].count, 2U);
    EXPECT_EQ(groups.all()[1].count, 2U);
    EXPECT_EQ(groups.all()[2].count, 1U);
}

TEST(CallGroupsTest, WritesUnusualAttemptsInFull) {
    telemetry::CallGroups groups{10};
    record::CallRecord elsewhere = call("a");
    const record::AttemptRecord attempt{.server = "r"};
    elsewhere.attempts = {&attempt, 1};
    record::CallRecord none = call("b");
    none.attempts = {};

    groups.add(elsewhere);
    groups.add(none);

    EXPECT_EQ(
        groups.all()[0].calls,
        R"([[0,"a","",0,3,4,5,[{"server":"r","began_us":0,"took_us":0,"end":"answered","detail":""}]],)"
        R"([0,"b","",0,3,4,5,[]]])");
}

}  // namespace
}  // namespace holdfast::telemetry
