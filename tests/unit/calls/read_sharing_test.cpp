// Identical reads that are in flight at the same time.
#include "calls/read_sharing.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "support/gateway/answers.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using namespace std::chrono_literals;

constexpr std::string_view kGood = R"({"content":[{"type":"text","text":"good"}]})";

class ReadSharingTest : public test::GatewayWorld {
protected:
    void begin_with(const std::string& annotations = R"({"readOnlyHint":true})") {
        server = add_server("box", Era::legacy);
        server->lists["tools/list"] =
            R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":)" +
            annotations + "}]}";
        begin();
    }
    test::Port call(const std::string& arguments = R"({"a":1})", const Modern& from = {}) {
        return request(from, "tools/call", R"("name":"t","arguments":)" + arguments,
                       std::to_string(++last_id));
    }
    static bool is_good(const test::Port& port) {
        return port->answer().find(R"("text":"good")") != std::string::npos;
    }

    int last_id = 0;
    std::shared_ptr<test::FakeServer> server;
};

TEST_F(ReadSharingTest, OneAttemptAnswersThemAll) {
    policy = R"({"shareReads": true})";
    begin_with();
    const auto first = call();
    const auto second = call();
    const auto third = call();

    ASSERT_EQ(server->calls.size(), 1U);
    answer(server->last(), test::legacy_result(std::string{kGood}));

    EXPECT_TRUE(is_good(first)) << first->answer();
    EXPECT_TRUE(is_good(second)) << second->answer();
    EXPECT_TRUE(is_good(third)) << third->answer();
    EXPECT_NE(second->answer().find(R"("id":2)"), std::string::npos);
    call();
    EXPECT_EQ(server->calls.size(), 2U);  // A later call is sent again.
}

TEST_F(ReadSharingTest, AFailureIsSharedToo) {
    policy = R"({"shareReads": true, "retry": "none"})";
    begin_with();
    const auto first = call();
    const auto second = call();
    answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});

    EXPECT_EQ(server->calls.size(), 1U);
    EXPECT_NE(first->answer().find("MALFORMED_RESPONSE"), std::string::npos) << first->answer();
    EXPECT_NE(second->answer().find("MALFORMED_RESPONSE"), std::string::npos) << second->answer();
}

TEST_F(ReadSharingTest, OnlyIdenticalReadsAreSharedIfThePolicyAllowsIt) {
    policy = R"({"shareReads": true})";
    begin_with();
    call();
    call(R"({"a":2})");
    call(R"({"a":1})", {.principal = "bob"});
    EXPECT_EQ(server->calls.size(), 3U);
}

TEST_F(ReadSharingTest, WritesAreNeverShared) {
    policy = R"({"shareReads": true})";
    begin_with("{}");
    call();
    call();
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(ReadSharingTest, NothingIsSharedByDefault) {
    begin_with();
    call();
    call();
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(ReadSharingTest, WhenTheFirstIsCancelledTheNextIsSent) {
    policy = R"({"shareReads": true})";
    begin_with();
    const auto first = call();
    const auto second = call();
    const auto third = call();
    on_loop([&] { first->gone(); });

    ASSERT_EQ(server->calls.size(), 2U);
    answer(server->last(), test::legacy_result(std::string{kGood}));
    EXPECT_TRUE(is_good(second)) << second->answer();
    EXPECT_TRUE(is_good(third)) << third->answer();
    EXPECT_EQ(first->ends(), 1U);
}

TEST_F(ReadSharingTest, NextGetsTheSlotOfTheFirst) {
    policy = R"({"shareReads": true, "limit": {"inFlight": 1, "queue": 0}})";
    begin_with();
    const auto first = call();
    const auto second = call();
    on_loop([&] { first->gone(); });

    ASSERT_EQ(server->calls.size(), 2U) << second->answer();
    answer(server->last(), test::legacy_result(std::string{kGood}));
    EXPECT_TRUE(is_good(second)) << second->answer();
}

TEST_F(ReadSharingTest, NextGetsTheProbeOfTheFirst) {
    policy = R"({"shareReads": true, "retry": "none",
                 "circuit": {"failures": 1, "open": "10s", "probes": 1}})";
    begin_with();
    call();
    answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});
    loop.run_for(10s);
    const auto first = call();
    const auto second = call();
    on_loop([&] { first->gone(); });

    ASSERT_EQ(server->calls.size(), 3U) << second->answer();
    answer(server->last(), test::legacy_result(std::string{kGood}));
    EXPECT_TRUE(is_good(second)) << second->answer();
}

TEST_F(ReadSharingTest, NextGetsTheSlotOfAFirstThatIsAsked) {
    policy = R"({"shareReads": true, "limit": {"inFlight": 1, "queue": 0}})";
    begin_with();
    const auto first = call();
    const auto second = call();
    on_loop([&] { server->last().ask("roots/list", ""); });

    ASSERT_EQ(server->calls.size(), 2U) << second->answer();
    answer(server->last(), test::legacy_result(std::string{kGood}));
    EXPECT_TRUE(is_good(second)) << second->answer();
    EXPECT_EQ(first->answers.size(), 0U);
}

TEST_F(ReadSharingTest, ACancelledFollowerDoesNotAffectTheOthers) {
    policy = R"({"shareReads": true})";
    begin_with();
    const auto first = call();
    const auto second = call();
    on_loop([&] { second->gone(); });
    answer(server->last(), test::legacy_result(std::string{kGood}));

    EXPECT_TRUE(is_good(first));
    EXPECT_TRUE(second->answers.empty());
}

TEST_F(ReadSharingTest, AShorterTimeoutIsNotExtended) {
    policy = R"({"shareReads": true, "timeout": "60s", "attemptTimeout": "60s"})";
    begin_with();
    const auto first = call();
    const auto hasty = call(R"({"a":1})", {.more_meta = R"(,"dev.holdfast/timeout":2)"});
    loop.run_for(3s);

    EXPECT_NE(hasty->answer().find("TIMEOUT"), std::string::npos) << hasty->answer();
    EXPECT_EQ(first->ends(), 0U);
}

class ReadSharingLimitsTest : public ::testing::Test {
protected:
    ReadSharing::Ticket join(const std::string& key) {
        return sharing->join(key, [this] { ++woken; });
    }

    int woken = 0;
    std::shared_ptr<ReadSharing> sharing =
        std::make_shared<ReadSharing>(resilience::SingleFlightOptions{.max_followers = 1});
};

TEST_F(ReadSharingLimitsTest, ACallBeyondTheLimitSharesNothing) {
    const auto leader = join("a");
    const auto follower = join("a");
    const auto third = join("a");

    EXPECT_FALSE(leader.is_following());
    EXPECT_TRUE(follower.is_following());
    EXPECT_TRUE(third.is_empty());
    EXPECT_FALSE(third.is_following());
}

TEST_F(ReadSharingLimitsTest, AFollowerIsNotifiedOnceOfTheOutcome) {
    auto leader = join("a");
    const auto follower = join("a");
    EXPECT_EQ(follower.outcome(), nullptr);
    const auto outcome = std::make_shared<const SharedOutcome>();

    leader.finish(outcome);

    EXPECT_EQ(woken, 1);
    EXPECT_EQ(follower.outcome(), outcome);
    EXPECT_TRUE(leader.is_empty());
    EXPECT_FALSE(join("a").is_following());
}

TEST_F(ReadSharingLimitsTest, TheFollowerLeadsWhenTheLeaderLeaves) {
    auto leader = join("a");
    const auto follower = join("a");

    leader.leave();

    EXPECT_EQ(woken, 1);
    EXPECT_EQ(follower.outcome(), nullptr);
    EXPECT_FALSE(follower.is_following());
    EXPECT_TRUE(join("a").is_following());
}

TEST_F(ReadSharingLimitsTest, AFollowerThatLeavesIsNotNotified) {
    auto leader = join("a");
    join("a").leave();

    leader.finish(std::make_shared<const SharedOutcome>());

    EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace holdfast::calls
