#include "guard/safeguards.hpp"

#include "guard_world.hpp"

namespace holdfast::guard {
namespace {

class SafeguardsTest : public GuardWorld {
protected:
    void break_circuit(const std::string& tool, const std::string& server = "box") {
        for (std::uint64_t count = 1; count <= 5; ++count) {
            ended(lost(count), tool, server);
        }
    }
    [[nodiscard]] bool is_open(const std::string& tool, const std::string& server = "box") {
        const auto one = guard(server);
        return one->is_open(*one->rules_for_tool(tool, now()), now());
    }
};

TEST_F(SafeguardsTest, ToolsThatAreAlikeShareTheirRules) {
    begin("{}");

    EXPECT_EQ(guard()->rules_for_tool("a", now()), guard()->rules_for_tool("b", now()));
    EXPECT_EQ(guard()->rules(now()), guard()->rules(now()));
}

TEST_F(SafeguardsTest, RulesOfASingleCallKeepTheCircuit) {
    begin(R"({"timeout": "60s"})");
    const auto rules = guard()->rules_for_tool("a", now());

    const auto wished = ServerGuard::rules_for_call(*rules, {.timeout = 5s, .debug = true});

    EXPECT_EQ(wished->policy().timeout, 5s);
    EXPECT_EQ(wished->pipeline.options().timeout, 5s);
    EXPECT_TRUE(wished->policy().debug);
    EXPECT_EQ(wished->circuit, rules->circuit);
}

TEST_F(SafeguardsTest, ACircuitBelongsToItsServer) {
    read(R"({"mcpServers": {"a": {"url": "http://h/a"}, "b": {"url": "http://h/b"}},
             "policies": {"default": {"retry": "none"}}})");
    break_circuit("t", "a");

    EXPECT_TRUE(is_open("t", "a"));
    EXPECT_TRUE(is_open("other", "a"));
    EXPECT_FALSE(is_open("t", "b"));
}

TEST_F(SafeguardsTest, ACircuitOfTheFileIsShared) {
    read(R"({"mcpServers": {"a": {"url": "http://h/a"}, "b": {"url": "http://h/b"}},
             "policies": {"default": {"retry": "none"}}, "circuits": {"c": {"failures": 5}},
             "tools": [{"match": "*.shared", "circuit": "c"}]})");
    break_circuit("shared", "a");

    EXPECT_TRUE(is_open("shared", "b"));
    EXPECT_FALSE(is_open("own", "a"));
    EXPECT_FALSE(is_open("own", "b"));
}

TEST_F(SafeguardsTest, AToolWithoutACircuitIsNeverRefused) {
    read(R"({"mcpServers": {"box": {"url": "http://h/mcp"}},
             "policies": {"default": {"retry": "none"}, "free": {"circuit": "none"}},
             "tools": [{"match": "box.free", "policy": "free"}]})");
    break_circuit("free");

    EXPECT_FALSE(is_open("free"));
    EXPECT_EQ(ended(answer_of("{}"), "free").ending, CallEnding::answered);
}

TEST_F(SafeguardsTest, ShowsItsCircuitsWithoutChangingThem) {
    begin(R"({"retry": "none", "circuit": {"open": "10s"}})");
    break_circuit("t");
    virtual_.run_for(20s);

    for (int count = 0; count < 3; ++count) {
        const auto circuits = safeguards_->circuits(now());
        ASSERT_EQ(circuits.size(), 1U);
        EXPECT_EQ(circuits.front().name, "box");
        EXPECT_TRUE(circuits.front().status.can_attempt);
    }
    // Opened once; half-open only when somebody calls.
    EXPECT_EQ(observer_.transitions.size(), 1U);
}

TEST_F(SafeguardsTest, SweepsIdleCircuitsWhenItIsTime) {
    begin(R"({"retry": "none"})");
    ended(lost(1));

    EXPECT_EQ(guard()->sweep_if_due(now()), 0U);
    virtual_.run_for(14min);
    EXPECT_EQ(guard()->sweep_if_due(now()), 0U);
    virtual_.run_for(60min);
    EXPECT_EQ(guard()->sweep_if_due(now()), 1U);
    EXPECT_EQ(safeguards_->circuits(now()).front().status.consecutive_failures, 0U);
}

TEST_F(SafeguardsTest, ServesTheBuiltInPolicyWithoutAConfig) {
    const auto guard = built_in_guard("lone");

    EXPECT_EQ(guard->name(), "lone");
    EXPECT_EQ(guard->rules_for_tool("t", now())->policy().timeout, policy::Policy{}.timeout);
    EXPECT_EQ(guard->rules_for_tool("t", now())->policy().retry, policy::Policy{}.retry);
}

}  // namespace
}  // namespace holdfast::guard
