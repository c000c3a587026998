#include "telemetry/detail/call_groups.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry::detail {
namespace {

constexpr std::int64_t kMinute = 60'000;

CallRecord call(std::string_view id, std::int64_t at_ms = 0) {
    static constexpr AttemptRecord kAttempt{.server = "s", .began_us = 1, .took_us = 2};
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

TEST(CallGroupsTest, PutsCallsTogetherThatSayTheSame) {
    CallGroups groups{10};
    const CallRecord one = call("a", 10);
    CallRecord other = call("b", 7);
    other.session = 0xfe;

    groups.add(one);
    groups.add(other);

    ASSERT_EQ(groups.all().size(), 1U);
    EXPECT_EQ(groups.all()[0].calls, R"([[10,"a","",0,3,4,5,1,2],[7,"b","fe",0,3,4,5,1,2]])");
    EXPECT_EQ(groups.all()[0].last_ms, 10);
    EXPECT_EQ(groups.all()[0].first, &one);
}

TEST(CallGroupsTest, WhatDiffersMakesAGroupOfItsOwn) {
    std::vector<CallRecord> calls{call("same"), call("same too")};
    calls.resize(13, call("different"));
    std::size_t next = 2;
    for (const auto text :
         {&CallRecord::principal, &CallRecord::method, &CallRecord::tool, &CallRecord::server,
          &CallRecord::route, &CallRecord::outcome, &CallRecord::message, &CallRecord::policy,
          &CallRecord::circuit, &CallRecord::circuit_before, &CallRecord::circuit_after}) {
        calls[next++].*text = "another";
    }
    calls.push_back(call("stood in for"));
    calls.back().stand_in = "another";
    calls.push_back(call("later", kMinute));

    CallGroups groups{10};
    for (const CallRecord& each : calls) {
        groups.add(each);
    }

    EXPECT_EQ(groups.all().size(), calls.size() - 1);
}

TEST(CallGroupsTest, AFullGroupIsFollowedByAnother) {
    CallGroups groups{2};
    const CallRecord record = call("a");

    for (int number = 0; number < 5; ++number) {
        groups.add(record);
    }

    ASSERT_EQ(groups.all().size(), 3U);
    EXPECT_EQ(groups.all()[0].count, 2U);
    EXPECT_EQ(groups.all()[1].count, 2U);
    EXPECT_EQ(groups.all()[2].count, 1U);
}

TEST(CallGroupsTest, TellsAttemptsInFullIfThereIsMoreToTell) {
    CallGroups groups{10};
    CallRecord elsewhere = call("a");
    const AttemptRecord attempt{.server = "r"};
    elsewhere.attempts = {&attempt, 1};
    CallRecord none = call("b");
    none.attempts = {};

    groups.add(elsewhere);
    groups.add(none);

    EXPECT_EQ(
        groups.all()[0].calls,
        R"([[0,"a","",0,3,4,5,[{"server":"r","began_us":0,"took_us":0,"end":"answered","detail":""}]],)"
        R"([0,"b","",0,3,4,5,[]]])");
}

}  // namespace
}  // namespace holdfast::telemetry::detail
