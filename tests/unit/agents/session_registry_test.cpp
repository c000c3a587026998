#include "agents/session_registry.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/gateway/recording_port.hpp"

namespace holdfast::agents {
namespace {

using namespace std::chrono_literals;

class IdleCall final : public AgentCall {
public:
    void cancel() override {}
};

class SessionRegistryTest : public ::testing::Test {
protected:
    int secrets = 0;
    SessionRegistry registry{{.max_sessions = 2, .max_idle = 10s},
                             [this] { return "secret" + std::to_string(++secrets); }};
    resilience::TimePoint now{1h};
};

TEST_F(SessionRegistryTest, OpensASessionOnlyToItsPrincipal) {
    const auto session = registry.open("ada", now);

    ASSERT_NE(session, nullptr);
    EXPECT_EQ(session->key(), "secret1");
    EXPECT_EQ(registry.find("secret1", "ada"), session);
    EXPECT_EQ(registry.find("secret1", "bob"), nullptr);
    EXPECT_EQ(registry.find("secret1", ""), nullptr);
    EXPECT_EQ(registry.find("secret2", "ada"), nullptr);
    EXPECT_EQ(registry.find("secret1"), session);
}

TEST_F(SessionRegistryTest, LimitsTheNumberOfSessions) {
    const auto first = registry.open("ada", now);
    ASSERT_NE(registry.open("ada", now), nullptr);

    EXPECT_EQ(registry.open("ada", now), nullptr);
    EXPECT_EQ(registry.size(), 2U);
    EXPECT_EQ(registry.remove(first->key()), first);
    EXPECT_NE(registry.open("ada", now), nullptr);
}

TEST_F(SessionRegistryTest, EvictsOnlyWhenItIsFull) {
    ASSERT_NE(registry.open("ada", now), nullptr);
    EXPECT_TRUE(registry.evict_if_full(now + 2h).empty());
    EXPECT_EQ(registry.size(), 1U);
}

TEST(SessionRegistryEvictionTest, EvictsTheLongestIdleOfThePrincipalWithMostIdleSessions) {
    int secrets = 0;
    SessionRegistry registry{{.max_sessions = 4}, [&secrets] { return std::to_string(++secrets); }};
    const resilience::TimePoint now{1h};
    const auto oldest_of_all = registry.open("bob", now);
    const auto used_again = registry.open("ada", now + 1s);
    const auto left = registry.open("ada", now + 2s);
    ASSERT_NE(registry.open("ada", now + 3s), nullptr);
    used_again->touch(now + 4s);

    EXPECT_TRUE(registry.evict_if_full(now + 59s).empty());  // all sessions are too young
    const auto forgotten = registry.evict_if_full(now + 10min);

    ASSERT_EQ(forgotten.size(), 1U);
    EXPECT_EQ(forgotten.front(), left);
    EXPECT_EQ(registry.find(left->key()), nullptr);
    EXPECT_EQ(registry.find(oldest_of_all->key()), oldest_of_all);
    EXPECT_NE(registry.open("cleo", now + 10min), nullptr);
}

TEST(SessionRegistryEvictionTest, DoesNotEvictSessionsInUse) {
    int secrets = 0;
    SessionRegistry registry{{.max_sessions = 1}, [&secrets] { return std::to_string(++secrets); }};
    const auto session = registry.open("ada", resilience::TimePoint{1h});
    const auto call = std::make_shared<IdleCall>();
    ASSERT_TRUE(session->try_enter("1", call));

    EXPECT_TRUE(registry.evict_if_full(resilience::TimePoint{2h}).empty());
    EXPECT_EQ(registry.open("bob", resilience::TimePoint{2h}), nullptr);
}

TEST(SessionRegistryEvictionTest, OnePrincipalCannotKeepTheOthersOut) {
    int secrets = 0;
    SessionRegistry registry{{.max_sessions = 4}, [&secrets] { return std::to_string(++secrets); }};
    const resilience::TimePoint now{1h};
    const auto oldest = registry.open("ada", now);
    for (int more = 1; more < 4; ++more) {
        ASSERT_NE(registry.open("ada", now + 1s), nullptr);
    }
    ASSERT_EQ(registry.open("bob", now + 2s), nullptr);

    const auto first = registry.evict_share_for("bob");

    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first.front(), oldest);
    EXPECT_NE(registry.open("bob", now + 2s), nullptr);
    EXPECT_EQ(registry.evict_share_for("bob").size(), 1U);
    EXPECT_NE(registry.open("bob", now + 2s), nullptr);
    EXPECT_TRUE(registry.evict_share_for("bob").empty());  // both have two
    EXPECT_TRUE(registry.evict_share_for("ada").empty());
}

TEST(SessionRegistryEvictionTest, ASharePrefersIdleSessions) {
    int secrets = 0;
    SessionRegistry registry{{.max_sessions = 2}, [&secrets] { return std::to_string(++secrets); }};
    const auto busy = registry.open("ada", resilience::TimePoint{1h});
    const auto idle = registry.open("ada", resilience::TimePoint{2h});
    const auto call = std::make_shared<IdleCall>();
    ASSERT_TRUE(busy->try_enter("1", call));

    const auto removed = registry.evict_share_for("bob");

    ASSERT_EQ(removed.size(), 1U);
    EXPECT_EQ(removed.front(), idle);
}

TEST_F(SessionRegistryTest, RemovesASessionOnce) {
    const auto session = registry.open("ada", now);

    EXPECT_EQ(registry.remove(session->key()), session);
    EXPECT_EQ(registry.remove(session->key()), nullptr);
    EXPECT_EQ(registry.find(session->key()), nullptr);
}

TEST_F(SessionRegistryTest, RemovesIdleSessions) {
    const auto idle = registry.open("ada", now);
    const auto used = registry.open("bob", now);
    used->touch(now + 1ms);

    EXPECT_TRUE(registry.remove_idle(now + 9'999ms).empty());
    const auto removed = registry.remove_idle(now + 10s);

    ASSERT_EQ(removed.size(), 1U);
    EXPECT_EQ(removed[0], idle);
    EXPECT_EQ(registry.all(), (std::vector{used}));
}

TEST_F(SessionRegistryTest, KeepsAnIdleSessionWithAStream) {
    const auto session = registry.open("ada", now);
    session->set_outlet(std::make_shared<test::RecordingOutlet>());

    EXPECT_TRUE(registry.remove_idle(now + 1h).empty());
    session->set_outlet(nullptr);
    EXPECT_EQ(registry.remove_idle(now + 1h).size(), 1U);
}

}  // namespace
}  // namespace holdfast::agents
