#include "downstream/supervision/connection_text.hpp"
#include "downstream_world.hpp"

// How a downstream gets its link, and another one after a loss.

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::OpenPlan;
using testing::Running;

TEST_F(DownstreamTest, OpensNothingUntilItIsNeeded) {
    make();
    loop.settle();

    EXPECT_TRUE(server->opens.empty());
    EXPECT_EQ(downstream->status().state, LinkState::idle);
}

TEST_F(DownstreamTest, StartsAndWaitsWhenItIsCalled) {
    accept_opens(2s);
    make();

    const Running running = call();
    const Running second = call();
    loop.run_for(1s);
    EXPECT_EQ(downstream->status().state, LinkState::connecting);
    loop.run_for(1s);
    answer_all(server->last());

    EXPECT_TRUE(running.is_answered());
    EXPECT_TRUE(second.is_answered());
    EXPECT_EQ(server->opens.size(), 1U);
    EXPECT_EQ(server->opens.front().capabilities,
              R"({"roots":{"listChanged":true},"sampling":{"tools":{}},)"
              R"("elicitation":{"form":{},"url":{}}})");
}

TEST_F(DownstreamTest, WaitsForAPeerThatConnectsByItself) {
    options.waits_for_peer = true;
    refuse_opens("nothing has connected");
    make();
    downstream->start();
    loop.run_for(1h);
    const Running early = call();
    loop.settle();
    ASSERT_TRUE(early.has_ended());
    EXPECT_EQ(early.fault().message, "The server \"box\" is not connected: nothing has connected.");
    EXPECT_EQ(early.fault().retry_after, std::nullopt);
    EXPECT_EQ(server->opens.size(), 1U) << "nothing is tried in between";

    accept_opens();
    downstream->on_available();
    loop.settle();

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    refuse_opens("nothing has connected");
    server->last().lose();
    loop.run_for(1h);
    EXPECT_EQ(downstream->status().state, LinkState::waiting);
    EXPECT_EQ(downstream->status().reason, "nothing has connected");
    EXPECT_EQ(server->opens.size(), 3U);
}

TEST_F(DownstreamTest, StartsWithAPeerThatConnectsBeforeTheFirstCall) {
    options.waits_for_peer = true;
    make();

    downstream->on_available();
    loop.settle();

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    downstream->start();
    loop.settle();
    EXPECT_EQ(server->opens.size(), 1U);
}

TEST_F(DownstreamTest, RetriesWithGrowingDelaysUntilItIsAuthorized) {
    options.reconnect.base = 1s;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s + 2s);
    accept_opens();
    EXPECT_EQ(downstream->status().failures_in_row, 3U);
    loop.run_for(4s);

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    EXPECT_EQ(server->opens.size(), 4U);
    EXPECT_EQ(server->most_opening, 1);
    const auto begun = server->opened_at.front();
    EXPECT_EQ(server->opened_at, (std::vector{begun, begun + 1s, begun + 3s, begun + 7s}));
}

TEST_F(DownstreamTest, IsGivenUpAfterExactlyTheAllowedDialsAndTheFirstIsOneOfThem) {
    options.reconnect.base = 1s;
    options.reconnect_attempts = 3;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s);
    EXPECT_EQ(server->opens.size(), 2U);
    EXPECT_FALSE(downstream->status().is_given_up);

    loop.run_for(2s);
    const Running running = call();
    loop.settle();

    EXPECT_EQ(server->opens.size(), 3U);
    EXPECT_TRUE(downstream->status().is_given_up);
    ASSERT_TRUE(running.has_ended());
    EXPECT_TRUE(running.fault().is_given_up);
    EXPECT_NE(running.fault().message.find("3 connection attempts have failed."), std::string::npos)
        << running.fault().message;
}

TEST_F(DownstreamTest, ALostLinkDoesNotCountAsADial) {
    options.reconnect.base = 1s;
    options.reconnect_attempts = 2;
    make_ready();
    refuse_opens();

    server->last().lose();
    loop.run_for(1s);
    EXPECT_EQ(downstream->status().failed_dials, 1U);
    EXPECT_FALSE(downstream->status().is_given_up);

    loop.run_for(2s);
    EXPECT_EQ(downstream->status().failed_dials, 2U);
    EXPECT_TRUE(downstream->status().is_given_up);

    accept_opens();
    loop.run_for(4s);
    EXPECT_EQ(downstream->status().failed_dials, 0U);
    EXPECT_FALSE(downstream->status().is_given_up);
}

TEST_F(DownstreamTest, ReplacesAtOnceALinkThatHasLasted) {
    make_ready();
    loop.run_for(options.sustained_uptime);
    accept_opens(1s);

    server->last().lose();
    const Running running = call();
    loop.run_for(1s);
    answer_all(server->last());

    EXPECT_EQ(server->links.size(), 2U);
    EXPECT_TRUE(running.is_answered());
}

TEST_F(DownstreamTest, DampsACrashLoop) {
    options.reconnect.base = 1s;
    options.reconnect.cap = 60s;
    server->plan = [](const LinkPurpose&) { return OpenPlan{.is_lost_at_once = true}; };
    make();
    downstream->start();

    loop.run_for(10min);

    EXPECT_LE(server->opens.size(), 16U);
    EXPECT_EQ(server->most_opening, 1);
    EXPECT_EQ(downstream->status().reason, "It went away.");
}

TEST_F(DownstreamTest, KeepsTheDelayOfEarlierFailuresUntilALinkHasLasted) {
    options.reconnect.base = 1s;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s);
    accept_opens();
    loop.run_for(2s);
    ASSERT_EQ(downstream->status().state, LinkState::ready);

    server->last().lose();

    EXPECT_EQ(downstream->status().next_attempt_at, loop.timekeeper.now() + 4s);
}

TEST_F(DownstreamTest, PassesTheKnownEraToTheNextAttempt) {
    options.known_era = mcp::Era::modern;
    options.known_era_age = 1h;
    refuse_opens();
    make();
    downstream->start();
    loop.settle();
    accept_opens();
    loop.run_for(options.reconnect.base);
    loop.run_for(options.sustained_uptime);
    server->last().lose();
    loop.settle();

    ASSERT_EQ(server->opens.size(), 3U);
    EXPECT_EQ(server->opens[0].known_era, mcp::Era::modern);
    EXPECT_EQ(server->opens[1].known_era, std::nullopt);
    EXPECT_EQ(server->opens[2].known_era, mcp::Era::legacy);
}

TEST_F(DownstreamTest, DoesNotTrustAnOldEra) {
    options.known_era = mcp::Era::modern;
    options.known_era_age = options.max_era_age;
    make_ready();

    EXPECT_EQ(server->opens.front().known_era, std::nullopt);
}

TEST_F(DownstreamTest, ReportsItsStatesInOrder) {
    refuse_opens();
    make();
    downstream->start();
    loop.settle();
    accept_opens();
    loop.run_for(options.reconnect.base);

    std::vector<LinkState> states;
    for (const auto& status : watcher->states) {
        states.push_back(status.state);
    }
    using enum LinkState;
    EXPECT_EQ(states, (std::vector{connecting, waiting, connecting, ready}));
    EXPECT_TRUE(watcher->states.back().negotiated.has_value());
    EXPECT_EQ(watcher->states.back().connects, 1U);
}

TEST_F(DownstreamTest, ShowsTheLogOfTheLatestProcess) {
    refuse_opens();
    make();
    downstream->start();
    loop.settle();
    EXPECT_EQ(downstream->last_log_lines(5).at(0), "said before it was a link");
    EXPECT_EQ(downstream->status().log_excerpt, "said before it was a link");
    EXPECT_EQ(downstream->status().reason.find("said"), std::string::npos);
    accept_opens();
    loop.run_for(options.reconnect.base);
    EXPECT_EQ(downstream->status().log_excerpt, "");
    EXPECT_EQ(downstream->last_log_lines(5).at(0), "said by a link");

    server->last().lose();

    EXPECT_EQ(downstream->last_log_lines(5).at(0), "said by a link");
    EXPECT_TRUE(downstream->last_log_lines(0).empty());
    EXPECT_EQ(downstream->status().log_excerpt, "said by a link");
}

TEST(OperatorReasonTest, AddsTheLogToTheReason) {
    EXPECT_EQ(operator_reason("It is gone.", ""), "It is gone.");
    EXPECT_EQ(operator_reason("It is gone.", "no key"), "It is gone; it logged: no key.");
    EXPECT_EQ(operator_reason("It is gone", "No key."), "It is gone; it logged: No key.");
}

}  // namespace
}  // namespace holdfast::downstream
