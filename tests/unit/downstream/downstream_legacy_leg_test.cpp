#include "downstream_world.hpp"

// How legacy agents use a downstream that speaks both eras.

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::OpenPlan;
using testing::Running;

class LegacyLegTest : public DownstreamTest {
protected:
    LegacyLegTest() {
        server->negotiated.revision = mcp::kNewestModern;
        options.legacy_leg = LegacyLeg::shared;
    }

    /// Makes a call and answers it. Returns the index of the link that it used.
    std::size_t link_of_call(const std::string& agent_key) {
        const Running running = call(agent_key);
        loop.settle();
        std::size_t used = 0;
        for (std::size_t index = 0; index < server->links.size(); ++index) {
            if (!server->links[index]->pending().empty()) {
                used = index;
            }
            answer_all(*server->links[index]);
        }
        EXPECT_TRUE(running.is_answered()) << agent_key;
        return used;
    }
    Running modern_call() {
        Request request{.method = "tools/call"};
        request.agent = std::make_shared<const AgentIdentity>(AgentIdentity{.key = "modern"});
        request.deadline = resilience::Deadline::after(loop.timekeeper.now(), 1min);
        return {home(), *downstream, std::move(request)};
    }
    void refuse_the_leg(CallFault::Kind kind) {
        server->plan = [kind](const LinkPurpose& purpose) {
            return purpose.known_era == mcp::Era::legacy
                       ? OpenPlan{.fault = CallFault{.kind = kind, .message = "No."}}
                       : OpenPlan{};
        };
    }
};

TEST_F(LegacyLegTest, LegacyAgentsShareASecondLinkOfTheirEra) {
    make_ready();

    EXPECT_EQ(link_of_call("ann"), 1U);
    EXPECT_EQ(link_of_call("bob"), 1U);

    ASSERT_EQ(server->opens.size(), 2U);
    EXPECT_EQ(server->opens[1].known_era, mcp::Era::legacy);
    EXPECT_TRUE(server->opens[1].is_era_required);
    EXPECT_NE(server->opens[1].capabilities.find("sampling"), std::string::npos);
}

TEST_F(LegacyLegTest, LegacyAgentsHaveSessionsOfTheirOwnIfTheServerDoes) {
    options.legacy_leg = LegacyLeg::per_agent;
    make_ready();

    EXPECT_EQ(link_of_call("ann"), 1U);
    EXPECT_EQ(link_of_call("bob"), 2U);
    EXPECT_EQ(link_of_call("ann"), 1U);

    EXPECT_EQ(server->opens[1].capabilities, R"({"of":"ann"})");
    EXPECT_EQ(server->opens[1].known_era, mcp::Era::legacy);
}

TEST_F(LegacyLegTest, ModernAgentsAndTheGatewayUseTheModernLink) {
    make_ready();
    EXPECT_EQ(link_of_call("ann"), 1U);

    const Running modern = modern_call();
    const Running own = call();
    loop.settle();

    EXPECT_EQ(server->links[0]->pending().size(), 2U);
    answer_all(*server->links[0]);
    EXPECT_TRUE(modern.is_answered());
    EXPECT_TRUE(own.is_answered());
}

TEST_F(LegacyLegTest, ThereIsNoneForALegacyServer) {
    server->negotiated.revision = mcp::kNewestLegacy;
    make_ready();

    EXPECT_EQ(link_of_call("ann"), 0U);
    EXPECT_EQ(server->opens.size(), 1U);
}

TEST_F(LegacyLegTest, AServerThatRefusesTheLegacyEraIsAskedOnce) {
    refuse_the_leg(CallFault::Kind::not_connected);
    make_ready();

    EXPECT_EQ(link_of_call("ann"), 0U);
    loop.run_for(10min);
    EXPECT_EQ(link_of_call("bob"), 0U);
    EXPECT_EQ(server->opens.size(), 2U);

    // A new connection may be to another version of the server.
    server->links[0]->lose();
    loop.run_for(10s);
    EXPECT_EQ(link_of_call("ann"), 1U);
    EXPECT_EQ(server->opens.size(), 4U);
}

TEST_F(LegacyLegTest, ALegThatDidNotOpenInTimeIsTriedAgainLater) {
    refuse_the_leg(CallFault::Kind::timed_out);
    make_ready();

    EXPECT_EQ(link_of_call("ann"), 0U);
    EXPECT_EQ(link_of_call("ann"), 0U);
    EXPECT_EQ(server->opens.size(), 2U);
    accept_opens();
    loop.run_for(1min);

    EXPECT_EQ(link_of_call("ann"), 1U);
}

TEST_F(LegacyLegTest, CallsUseTheModernLinkIfThereAreTooManySessions) {
    options.legacy_leg = LegacyLeg::per_agent;
    options.max_agent_links = 1;
    make_ready();
    const Running busy = call("ann");
    loop.settle();
    const Running other = call("bob");
    loop.settle();

    EXPECT_EQ(server->links[0]->count("tools/call"), 1U);
    EXPECT_EQ(server->links[1]->count("tools/call"), 1U);
    answer_all(*server->links[0]);
    EXPECT_TRUE(other.is_answered());
    EXPECT_FALSE(busy.has_ended());
    answer_all(*server->links[1]);
}

TEST_F(LegacyLegTest, ALostLegIsOpenedAgain) {
    make_ready();
    EXPECT_EQ(link_of_call("ann"), 1U);

    server->links[1]->lose();
    loop.settle();

    EXPECT_EQ(link_of_call("ann"), 2U);
}

TEST_F(LegacyLegTest, AQuestionOfTheSharedLegIsForNoAgent) {
    make_ready();
    EXPECT_EQ(link_of_call("ann"), 1U);

    const auto listener = server->links[1]->listener.lock();
    listener->on_question({.method = "roots/list"});
    listener->on_notification({.method = "notifications/message"});
    listener->on_notification({.method = "notifications/resources/updated"});

    const std::vector<std::string> last(watcher->events.end() - 2, watcher->events.end());
    EXPECT_EQ(last, (std::vector<std::string>{"?roots/list", "!notifications/message"}));
}

TEST_F(LegacyLegTest, TheRequiredEraIsPassedOn) {
    options.required_era = mcp::Era::legacy;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s);

    ASSERT_GE(server->opens.size(), 2U);
    for (const LinkPurpose& purpose : server->opens) {
        EXPECT_EQ(purpose.known_era, mcp::Era::legacy);
        EXPECT_TRUE(purpose.is_era_required);
    }
}

}  // namespace
}  // namespace holdfast::downstream
