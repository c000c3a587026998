#include "downstream_world.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::FakeLink;
using testing::Running;
using Uris = std::vector<std::string>;

class DownstreamPreferencesTest : public DownstreamTest {
protected:
    DownstreamPreferencesTest() { server->negotiated.capabilities = R"({"logging":{}})"; }

    static std::vector<std::string> levels_of(const FakeLink& link) {
        std::vector<std::string> levels;
        for (const Request& request : link.sent()) {
            if (request.method == "logging/setLevel") {
                levels.push_back(request.params_members);
            }
        }
        return levels;
    }
    void open_session_of(const std::string& agent_key) {
        const Running running = call(agent_key);
        loop.settle();
        answer_all(server->last());
    }
};

TEST_F(DownstreamPreferencesTest, ListensToListsFromTheStart) {
    make_ready();

    EXPECT_EQ(server->last().interests, std::vector<Interests>{{.lists = true}});
}

TEST_F(DownstreamPreferencesTest, SubscribesOnceToWhatAnyAgentWants) {
    make_ready();
    downstream->set_subscriptions("ann", {"b", "a"});
    downstream->set_subscriptions("bob", {"b", "c"});
    EXPECT_EQ(server->last().interests.back().resource_uris, (Uris{"a", "b", "c"}));
    const std::size_t sent = server->last().interests.size();
    downstream->set_subscriptions("cid", {"a"});
    EXPECT_EQ(server->last().interests.size(), sent);

    downstream->set_subscriptions("ann", {});
    downstream->end_agent("bob");

    EXPECT_EQ(server->last().interests.back().resource_uris, (Uris{"a"}));
}

TEST_F(DownstreamPreferencesTest, RestoresWhatAgentsWantAfterAReconnect) {
    make_ready();
    downstream->set_subscriptions("ann", {"a"});
    downstream->set_log_level("ann", "warning");
    loop.settle();

    server->last().lose();
    loop.run_for(1min);

    ASSERT_EQ(server->links.size(), 2U);
    EXPECT_EQ(server->last().interests.back().resource_uris, (Uris{"a"}));
    EXPECT_EQ(levels_of(server->last()), (Uris{R"("level":"warning")"}));
}

TEST_F(DownstreamPreferencesTest, RequestsTheMostVerboseLevel) {
    make_ready();

    downstream->set_log_level("ann", "error");
    loop.settle();
    downstream->set_log_level("bob", "debug");
    downstream->set_log_level("cid", "alert");
    loop.settle();
    downstream->set_log_level("bob", "");
    loop.settle();

    EXPECT_EQ(levels_of(server->last()),
              (Uris{R"("level":"error")", R"("level":"debug")", R"("level":"error")"}));
}

TEST_F(DownstreamPreferencesTest, SendsOneLevelAfterTheOther) {
    server->answering = [](const Request&) { return std::nullopt; };
    make_ready();

    downstream->set_log_level("ann", "error");
    loop.settle();
    downstream->set_log_level("ann", "info");
    downstream->set_log_level("ann", "debug");
    loop.settle();
    EXPECT_EQ(levels_of(server->last()).size(), 1U);
    answer_all(server->last());
    loop.settle();
    EXPECT_EQ(levels_of(server->last()).size(), 2U);
    answer_all(server->last());
    loop.settle();

    EXPECT_EQ(levels_of(server->last()),
              (Uris{R"("level":"error")", R"("level":"info")", R"("level":"debug")"}));
}

TEST_F(DownstreamPreferencesTest, RequestsNoLevelFromDownstreamsWithoutLogging) {
    server->negotiated.revision = mcp::kNewestModern;
    make_ready();
    downstream->set_log_level("ann", "debug");
    loop.settle();

    EXPECT_TRUE(levels_of(server->last()).empty());
}

TEST_F(DownstreamPreferencesTest, SendsTheAgentsPreferencesToItsOwnSession) {
    server->negotiated.has_session_id = true;
    make_ready();
    downstream->set_subscriptions("ann", {"a"});
    downstream->set_log_level("ann", "info");
    EXPECT_EQ(server->links[0]->interests.back().resource_uris, (Uris{"a"}));

    open_session_of("ann");

    EXPECT_EQ(server->links[1]->interests,
              (std::vector<Interests>{{.lists = false, .resource_uris = {"a"}}}));
    EXPECT_EQ(levels_of(*server->links[1]), (Uris{R"("level":"info")"}));
    EXPECT_EQ(server->links[0]->interests.back().resource_uris, Uris{});
    server->links[1]->lose();
    EXPECT_EQ(server->links[0]->interests.back().resource_uris, (Uris{"a"}));
}

TEST_F(DownstreamPreferencesTest, SendsNotificationsToTheRightLink) {
    server->negotiated.has_session_id = true;
    make_ready();
    open_session_of("ann");

    downstream->notify("notifications/roots/list_changed", {}, "ann");
    downstream->notify("notifications/roots/list_changed", {}, "bob");

    EXPECT_TRUE(server->links[0]->notified.empty());
    EXPECT_EQ(server->links[1]->notified.size(), 1U);
}

TEST_F(DownstreamPreferencesTest, SendsNotificationsToASharedLegacyLink) {
    make_ready();

    downstream->notify("notifications/roots/list_changed", {}, "ann");

    EXPECT_EQ(server->last().notified.size(), 1U);
}

TEST_F(DownstreamPreferencesTest, DropsNotificationsToAModernDownstream) {
    server->negotiated.revision = mcp::kNewestModern;
    make_ready();

    downstream->notify("notifications/roots/list_changed", {}, "ann");

    EXPECT_TRUE(server->last().notified.empty());
}

}  // namespace
}  // namespace holdfast::downstream
