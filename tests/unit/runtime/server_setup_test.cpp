#include "runtime/servers/server_setup.hpp"

#include <gtest/gtest.h>

namespace holdfast::runtime {
namespace {

ServerSetup setup(const config::ServerConfig& server, const ResolvedServer& plan = {}) {
    return setup_of(server, plan, server.reconnect, {}, policy::JunkRule::skip);
}

config::ServerConfig program() {
    return {.name = "a",
            .target = config::StdioTarget{
                .command = "run", .args = {"x", "y"}, .env = {{"KEY", "value"}}, .cwd = {}}};
}

TEST(ServerSetupTest, IgnoresThePositionInTheFileAndThePolicy) {
    config::ServerConfig other = program();
    other.place = {.line = 7, .column = 3};
    other.policy.name = "slow";
    other.timeout = std::chrono::seconds{9};
    other.trusts_annotations = false;

    EXPECT_TRUE(setup(other) == setup(program()));
}

TEST(ServerSetupTest, DiffersWithEverythingAConnectionIsMadeFrom) {
    const ServerSetup before = setup(program());
    const auto changed = [](auto change) {
        config::ServerConfig server = program();
        change(server, std::get<config::StdioTarget>(server.target));
        return setup(server);
    };

    EXPECT_NE(before, changed([](auto&, auto& target) { target.command = "walk"; }));
    EXPECT_NE(before, changed([](auto&, auto& target) { target.args = {"xy"}; }));
    EXPECT_NE(before, changed([](auto&, auto& target) { target.args = {"x", "y", ""}; }));
    EXPECT_NE(before, changed([](auto&, auto& target) { target.env[0].value = "other"; }));
    EXPECT_NE(before, changed([](auto&, auto& target) { target.cwd = "/"; }));
    EXPECT_NE(before, changed([](auto& server, auto&) {
                  server.session = config::SessionScope::per_agent;
              }));
    EXPECT_NE(before, changed([](auto& server, auto&) { server.era = config::EraChoice::legacy; }));
    EXPECT_NE(before, changed([](auto& server, auto&) { server.reconnect.attempts = 3; }));
    EXPECT_NE(before,
              changed([](auto& server, auto&) { server.start_timeout = std::chrono::seconds{1}; }));
    EXPECT_NE(before, changed([](auto& server, auto&) {
                  server.target = config::HttpTarget{.url = "http://127.0.0.1:1/"};
              }));
}

TEST(ServerSetupTest, AProgramHasMoreTimeToStartThanAnAddress) {
    using namespace std::chrono_literals;
    const config::ServerDefaults defaults{.start_timeout = 2min};
    config::ServerConfig server = program();
    EXPECT_EQ(start_timeout_of(server, {}), 5min);
    EXPECT_EQ(start_timeout_of(server, defaults), 2min);
    server.start_timeout = 7s;
    EXPECT_EQ(start_timeout_of(server, defaults), 7s);

    server.target = config::HttpTarget{.url = "http://127.0.0.1:1/"};
    EXPECT_EQ(start_timeout_of(server, defaults), 7s);
    server.start_timeout.reset();
    EXPECT_EQ(start_timeout_of(server, defaults), 30s);
}

TEST(ServerSetupTest, DiffersWithEveryPartOfAToolOfAnHttpApi) {
    const auto changed = [](auto change) {
        ResolvedServer plan;
        plan.rest.emplace().tools.push_back({.name = "list"});
        change(plan.rest->tools.front());
        return setup(program(), plan);
    };
    const ServerSetup before = changed([](auto&) {});

    EXPECT_TRUE(before == changed([](auto&) {}));
    EXPECT_NE(before, changed([](rest::RestTool& tool) {
                  tool.path = *rest::PathTemplate::parsed("/v2/list");
              }));
    EXPECT_NE(before, changed([](rest::RestTool& tool) {
                  tool.text = *rest::AnswerTemplate::parsed("{{a}}");
              }));
    EXPECT_NE(before, changed([](rest::RestTool& tool) { tool.query.push_back({.name = "q"}); }));
    EXPECT_NE(before, changed([](rest::RestTool& tool) { tool.result.keys = {"data"}; }));
}

TEST(ServerSetupTest, DiffersWithCredentials) {
    ResolvedServer plan;
    plan.credentials.headers.push_back({.sources = {{.value = "one"}}, .header = "X-Key"});
    ResolvedServer other = plan;
    other.credentials.headers.front().sources.front().value = "two";

    EXPECT_NE(setup(program(), plan), setup(program()));
    EXPECT_NE(setup(program(), plan), setup(program(), other));
}

}  // namespace
}  // namespace holdfast::runtime
