#include "dispatch/loop_state.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <tuple>

#include "support/manual_timekeeper.hpp"
#include "support/test_guard.hpp"

namespace holdfast::dispatch {
namespace {

using namespace std::chrono_literals;

const resilience::TimePoint kNow{1h};

class LoopStateTest : public ::testing::Test {
protected:
    std::shared_ptr<agents::AgentSession> open(const std::string& principal) {
        auto session = sessions.open(principal, kNow);
        session->set_agent(std::make_shared<const agents::Agent>(agents::Agent{principal}));
        return session;
    }

    int secrets = 0;
    agents::SessionRegistry sessions{{}, [this] { return "s" + std::to_string(++secrets); }};
    void publish() { contexts.publish(std::make_shared<const CallContext>()); }

    resilience::testing::ManualTimekeeper timekeeper;
    net::LoopSnapshot<CallContext> contexts{std::make_shared<const CallContext>()};
    LoopState state{net::OwningLoop{.timekeeper = &timekeeper}, sessions, contexts};
};

TEST_F(LoopStateTest, ShowsTheContextThatWasPublishedLast) {
    EXPECT_EQ(&state.context(), contexts.latest().get());

    publish();
    publish();

    EXPECT_EQ(&state.context(), contexts.latest().get());
}

TEST_F(LoopStateTest, DropsTheRulesOfAnEarlierContext) {
    const surface::Server server{.name = "box", .guard = testing::guard_with("box", "{}")};
    const surface::Callable tool{.server = &server, .own_name = "t"};
    std::ignore = state.context();
    const std::weak_ptr<const guard::CallRules> rules = state.rules_for(tool, kNow);
    const auto count = rules.use_count();
    std::ignore = state.context();
    EXPECT_EQ(rules.use_count(), count);

    publish();
    std::ignore = state.context();

    EXPECT_EQ(rules.use_count(), count - 1);
}

TEST_F(LoopStateTest, FindsASessionForItsPrincipalOnly) {
    const auto session = open("ada");

    for (int count = 0; count < 2; ++count) {
        const auto found = state.find_session("s1", "ada");
        EXPECT_EQ(found.session, session);
        EXPECT_EQ(found.agent, session->agent());
        EXPECT_EQ(state.find_session("s1", "bob").session, nullptr);
        EXPECT_EQ(state.find_session("s2", "ada").session, nullptr);
    }
}

TEST_F(LoopStateTest, KnowsTheAgentOfASecondHandshake) {
    const auto session = open("ada");
    EXPECT_EQ(state.find_session("s1", "ada").agent, session->agent());

    session->set_agent(std::make_shared<const agents::Agent>());

    EXPECT_EQ(state.find_session("s1", "ada").agent, session->agent());
}

TEST_F(LoopStateTest, DoesNotFindASessionThatHasEnded) {
    const auto session = open("ada");
    ASSERT_NE(state.find_session("s1", "ada").session, nullptr);

    ASSERT_NE(sessions.remove("s1"), nullptr);
    session->end();

    EXPECT_EQ(state.find_session("s1", "ada").session, nullptr);
}

TEST_F(LoopStateTest, ReadsRulesAgainAfterTheGuardIsReconfigured) {
    const surface::Server server{.name = "box",
                                 .guard = testing::guard_with("box", R"({"timeout": "5s"})")};
    const surface::Callable tool{.server = &server, .own_name = "t"};
    const auto rules = state.rules_for(tool, kNow);
    EXPECT_EQ(rules->policy().timeout, 5s);
    EXPECT_EQ(state.rules_for(tool, kNow), rules);

    server.guard->reconfigure(testing::policies_of("box", R"({"timeout": "7s"})"), kNow);

    EXPECT_EQ(state.rules_for(tool, kNow)->policy().timeout, 7s);
}

}  // namespace
}  // namespace holdfast::dispatch
