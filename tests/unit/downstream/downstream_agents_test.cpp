#include "downstream_world.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::FakeLink;
using testing::OpenPlan;
using testing::Running;
using Kind = CallFault::Kind;

/// A legacy downstream that assigns session ids.
class DownstreamAgentsTest : public DownstreamTest {
protected:
    DownstreamAgentsTest() { server->negotiated.has_session_id = true; }

    /// Makes a call of this agent and answers it.
    void call_once(const std::string& agent_key) {
        const Running running = call(agent_key);
        loop.settle();
        for (const auto& link : server->links) {
            answer_all(*link);
        }
        ASSERT_TRUE(running.is_answered()) << agent_key;
    }
};

TEST_F(DownstreamAgentsTest, GivesEachAgentASessionOfItsOwn) {
    make_ready();

    call_once("ann");
    call_once("bob");
    call_once("ann");

    ASSERT_EQ(server->links.size(), 3U);
    EXPECT_EQ(server->opens[1].capabilities, R"({"of":"ann"})");
    EXPECT_EQ(server->opens[2].capabilities, R"({"of":"bob"})");
    EXPECT_EQ(server->links[0]->count("tools/call"), 0U);
    EXPECT_EQ(server->links[1]->count("tools/call"), 2U);
    EXPECT_EQ(downstream->status().agent_links, 2U);
}

TEST_F(DownstreamAgentsTest, SendsTheGatewaysRequestsOnTheSharedLink) {
    make_ready();

    const Running running = call();
    loop.settle();
    answer_all(*server->links[0]);

    EXPECT_TRUE(running.is_answered());
    EXPECT_EQ(server->links.size(), 1U);
}

TEST_F(DownstreamAgentsTest, SharesOneLinkWhenThereAreNoSessionIds) {
    server->negotiated.has_session_id = false;
    make_ready();

    call_once("ann");
    call_once("bob");

    EXPECT_EQ(server->links.size(), 1U);
}

TEST_F(DownstreamAgentsTest, SharesOneLinkIfConfigured) {
    options.session = SessionMode::shared;
    make_ready();

    call_once("ann");

    EXPECT_EQ(server->links.size(), 1U);
}

TEST_F(DownstreamAgentsTest, SeparatesAgentsWithoutSessionIdsIfConfigured) {
    server->negotiated.has_session_id = false;
    options.session = SessionMode::per_agent;
    make_ready();

    call_once("ann");

    EXPECT_EQ(server->links.size(), 2U);
}

TEST_F(DownstreamAgentsTest, AlwaysSharesAModernDownstream) {
    server->negotiated.revision = mcp::kNewestModern;
    options.session = SessionMode::per_agent;
    make_ready();

    call_once("ann");

    EXPECT_EQ(server->links.size(), 1U);
}

TEST_F(DownstreamAgentsTest, OpensOneSessionForConcurrentFirstCalls) {
    make_ready();
    accept_opens(2s);

    const Running first = call("ann");
    const Running second = call("ann");
    loop.run_for(2s);
    answer_all(server->last());

    EXPECT_TRUE(first.is_answered());
    EXPECT_TRUE(second.is_answered());
    EXPECT_EQ(server->opens.size(), 2U);
}

TEST_F(DownstreamAgentsTest, FailsAllWaitingCallsIfASessionCannotBeOpened) {
    make_ready();
    refuse_opens("Full.");

    const Running first = call("ann");
    const Running second = call("ann");
    loop.settle();

    ASSERT_TRUE(first.has_ended());
    ASSERT_TRUE(second.has_ended());
    EXPECT_EQ(first.fault().message, "Full.");
    EXPECT_EQ(first.fault().delivery, resilience::Delivery::not_sent);
    accept_opens();
    call_once("ann");
}

TEST_F(DownstreamAgentsTest, RepeatsOnceACallWhoseSessionWasUnknown) {
    make_ready();
    call_once("ann");
    const Running running = call("ann");
    loop.settle();

    server->last().lose(resilience::Delivery::not_sent);
    loop.settle();
    ASSERT_EQ(server->links.size(), 3U);
    EXPECT_FALSE(running.has_ended());
    server->last().lose(resilience::Delivery::not_sent);
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::connection_lost);
    EXPECT_EQ(server->links.size(), 3U);
}

TEST_F(DownstreamAgentsTest, ReportsALostCallThatMayHaveArrived) {
    make_ready();
    const Running running = call("ann");
    loop.settle();

    server->last().lose(resilience::Delivery::sent);
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(server->links.size(), 2U);
    call_once("ann");
    EXPECT_EQ(server->links.size(), 3U);
}

TEST_F(DownstreamAgentsTest, ReportsACallThatWasNotSentWhileItsSessionLives) {
    make_ready();
    const Running running = call("ann");
    loop.settle();

    server->last().pending().at(0)->finish(CallFault{.message = "A hiccup."});
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().message, "A hiccup.");
    EXPECT_EQ(server->links.size(), 2U);
}

TEST_F(DownstreamAgentsTest, KeepsASessionWhileTheSharedLinkIsLost) {
    make_ready();
    call_once("ann");
    refuse_opens();
    server->links[0]->lose();
    ASSERT_EQ(downstream->status().state, LinkState::waiting);

    call_once("ann");
    const Running other = call("bob");
    loop.run_for(options.reconnect.base);

    ASSERT_TRUE(other.has_ended());
    EXPECT_EQ(other.fault().kind, Kind::not_connected);
}

TEST_F(DownstreamAgentsTest, ClosesTheSessionOfADisconnectedAgent) {
    make_ready();
    call_once("ann");

    downstream->end_agent("ann");
    loop.settle();

    EXPECT_EQ(server->last().closes, 1);
    EXPECT_EQ(downstream->status().agent_links, 0U);
}

TEST_F(DownstreamAgentsTest, ClosesASessionThatOpensAfterItsAgentDisconnected) {
    make_ready();
    server->plan = [](const LinkPurpose&) { return OpenPlan{.takes = 2s}; };
    const Running running = call("ann");
    loop.run_for(1s);

    downstream->end_agent("ann");
    loop.run_for(2s);

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::cancelled);
    EXPECT_EQ(downstream->status().agent_links, 0U);
}

TEST_F(DownstreamAgentsTest, ClosesAnIdleSession) {
    options.agent_link_idle = 10min;
    make_ready();
    call_once("ann");
    loop.run_for(6min);
    call_once("bob");
    loop.run_for(4min - 1ns);
    EXPECT_EQ(downstream->status().agent_links, 2U);

    loop.run_for(1ns);
    EXPECT_EQ(downstream->status().agent_links, 1U);
    EXPECT_EQ(server->links[1]->closes, 1);
    loop.run_for(6min);

    EXPECT_EQ(downstream->status().agent_links, 0U);
}

TEST_F(DownstreamAgentsTest, KeepsASessionThatIsInUse) {
    options.agent_link_idle = 1min;
    make_ready();
    const Running running = call("ann", 1h);
    loop.run_for(30min);
    EXPECT_EQ(downstream->status().agent_links, 1U);

    answer_all(server->last());
    loop.run_for(2min);

    EXPECT_TRUE(running.is_answered());
    EXPECT_EQ(downstream->status().agent_links, 0U);
}

TEST_F(DownstreamAgentsTest, EvictsTheLeastRecentlyUsedIdleSession) {
    options.max_agent_links = 2;
    make_ready();
    call_once("ann");
    loop.run_for(1s);
    call_once("bob");
    loop.run_for(1s);
    call_once("ann");
    loop.run_for(1s);

    call_once("cid");
    loop.settle();

    EXPECT_EQ(server->links[2]->closes, 1);
    EXPECT_EQ(server->links[1]->closes, 0);
    EXPECT_EQ(downstream->status().agent_links, 2U);
}

TEST_F(DownstreamAgentsTest, RefusesWhenAllSessionsAreInUse) {
    options.max_agent_links = 1;
    make_ready();
    const Running busy = call("ann");
    loop.settle();

    const Running running = call("bob");
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::overloaded);
    EXPECT_FALSE(busy.has_ended());
}

TEST_F(DownstreamAgentsTest, FreesTheSessionOfACallThatWasCancelled) {
    options.max_agent_links = 1;
    make_ready();
    Running busy = call("ann");
    loop.settle();

    busy.cancel();
    loop.settle();

    call_once("bob");
}

TEST_F(DownstreamAgentsTest, ClosesAllSessionsWhenItStops) {
    make_ready();
    call_once("ann");
    call_once("bob");
    for (const auto& link : server->links) {
        link->closing_takes = 1s;
    }
    bool has_stopped = false;
    boost::asio::co_spawn(loop.context, downstream->stop(),
                          [&](const std::exception_ptr&) { has_stopped = true; });

    loop.run_for(1s);

    EXPECT_TRUE(has_stopped);
    for (const auto& link : server->links) {
        EXPECT_EQ(link->closes, 1);
    }
}

TEST_F(DownstreamAgentsTest, SaysWhoseLinkANotificationCameOn) {
    make_ready();
    call_once("ann");

    server->links[0]->tell("notifications/message");
    server->links[1]->tell("notifications/message");

    EXPECT_EQ(watcher->events,
              (std::vector<std::string>{"!notifications/message", "ann!notifications/message"}));
}

}  // namespace
}  // namespace holdfast::downstream
