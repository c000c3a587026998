#include "guard/safeguards.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "config/read_config.hpp"
#include "policy/read_policy_table.hpp"

namespace holdfast::guard {
namespace {

using namespace std::chrono_literals;

constexpr resilience::TimePoint kNow{1000h};

/// What a config says whose only server is "one".
policy::PolicyTable table_of(const std::string& policy) {
    auto read = config::read_config(
        "test.json",
        R"({"mcpServers":{"one":{"command":"x"}},"policies":{"default":)" + policy + "}}",
        [](std::string_view) { return std::optional<std::string>{}; });
    EXPECT_TRUE(read.config.has_value());
    auto policies = policy::read_policy_table(*read.config, {});
    EXPECT_TRUE(policies.table.has_value());
    return *policies.table;
}

class ReconfigureTest : public ::testing::Test {
protected:
    std::shared_ptr<ServerGuard> guard_with(const std::string& policy) {
        return house_->guard_of("one", table_of(policy));
    }
    void fail_once(const CallRules& rules) const {
        auto permit = rules.circuit->circuit->breaker().try_acquire(kNow);
        ASSERT_TRUE(permit.has_value());
        permit->settle(resilience::Outcome::failure, kNow);
    }

    const std::shared_ptr<Safeguards> house_ =
        std::make_shared<Safeguards>(SafeguardsOptions{}, nullptr);
};

TEST_F(ReconfigureTest, TreatsNewCallsByTheNewBook) {
    const auto guard = guard_with(R"({"timeout":"50s"})");
    const auto before = guard->rules_for_tool("a", kNow);

    guard->reconfigure(table_of(R"({"timeout":"40s"})"), kNow);

    EXPECT_EQ(before->policy().timeout, 50s);
    EXPECT_EQ(guard->rules_for_tool("a", kNow)->policy().timeout, 40s);
    EXPECT_EQ(guard->rules(kNow)->policy().timeout, 40s);
}

TEST_F(ReconfigureTest, KeepsAnOpenCircuitWhenOtherFiguresChange) {
    const auto guard = guard_with(R"({"circuit":{"failures":1,"open":"60s"},"timeout":"50s"})");
    fail_once(*guard->rules_for_tool("a", kNow));

    guard->reconfigure(table_of(R"({"circuit":{"failures":1,"open":"60s"},"timeout":"40s"})"),
                       kNow);

    EXPECT_TRUE(guard->is_open(*guard->rules_for_tool("a", kNow), kNow + 59s));
    EXPECT_FALSE(guard->is_open(*guard->rules_for_tool("a", kNow), kNow + 61s));
}

TEST_F(ReconfigureTest, GivesACircuitItsNewFigures) {
    const auto guard = guard_with(R"({"circuit":{"failures":3,"open":"60s"}})");
    fail_once(*guard->rules_for_tool("a", kNow));

    guard->reconfigure(table_of(R"({"circuit":{"failures":2,"open":"60s"}})"), kNow);
    fail_once(*guard->rules_for_tool("a", kNow));

    EXPECT_TRUE(guard->is_open(*guard->rules_for_tool("a", kNow), kNow));
    ASSERT_EQ(house_->circuits(kNow).size(), 1U);
    EXPECT_EQ(house_->circuits(kNow).front().options.failure_threshold, 2U);
}

TEST_F(ReconfigureTest, GivesTheQueueItsNewFigures) {
    const auto guard = guard_with(R"({"limit":{"inFlight":3,"queue":5}})");
    ASSERT_EQ(guard->queue().options.max_in_flight, 3U);

    guard->reconfigure(table_of(R"({"limit":{"inFlight":4,"queue":5}})"), kNow);

    EXPECT_EQ(guard->queue().options.max_in_flight, 4U);
}

}  // namespace
}  // namespace holdfast::guard
