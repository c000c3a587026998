#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/gateway.hpp"
#include "support/gateway/answers.hpp"
#include "support/gateway/gateway_world.hpp"

// Config changes while agents are connected.

namespace holdfast::dispatch {
namespace {

using mcp::Era;
using namespace std::chrono_literals;

class GatewayChangeTest : public test::GatewayWorld {
protected:
    void SetUp() override {
        one = add_server("one", Era::legacy);
        two = add_server("two", Era::legacy);
        begin();
    }
    [[nodiscard]] std::vector<surface::Server> without(const std::string& name) {
        std::vector<surface::Server> servers = *gateway().servers();
        std::erase_if(servers,
                      [&name](const surface::Server& server) { return server.name == name; });
        return servers;
    }
    void change(GatewayChange change) {
        on_loop([&] { gateway().change(std::move(change)); });
    }
    std::string listed() { return request(Modern{}, "tools/list", "")->answer(); }

    std::shared_ptr<test::FakeServer> one;
    std::shared_ptr<test::FakeServer> two;
};

TEST_F(GatewayChangeTest, ShowsTheRemainingServersAtOnce) {
    ASSERT_NE(listed().find("two__t"), std::string::npos);
    const auto before = gateway().surface();

    change({.servers = without("two")});

    EXPECT_EQ(listed().find("two__t"), std::string::npos);
    EXPECT_EQ(gateway().surface()->generation(), before->generation() + 1);
    EXPECT_EQ(gateway().surface()->servers().size(), 1U);
    EXPECT_NE(before->find_tool("two__t"), nullptr) << "a call may still hold it";
}

TEST_F(GatewayChangeTest, AnswersCallsOfARemovedServer) {
    const auto gone = request(Modern{}, "tools/call", R"("name":"two__t","arguments":{})", "7");
    const auto kept = request(Modern{}, "tools/call", R"("name":"one__t","arguments":{})", "8");
    ASSERT_EQ(two->calls.size(), 1U);

    change({.servers = without("two")});
    loop.run_for(1s);

    EXPECT_NE(gone->answer().find("SHUTTING_DOWN"), std::string::npos) << gone->answer();
    EXPECT_TRUE(kept->answers.empty());
    answer(one->last(), test::legacy_result(R"({"content":[]})"));
    EXPECT_NE(kept->answer().find("content"), std::string::npos) << kept->answer();
}

TEST_F(GatewayChangeTest, StartsANewlyAddedServer) {
    const auto three = std::make_shared<test::FakeServer>();
    std::vector<surface::Server> servers = *gateway().servers();
    servers.push_back({.name = "three",
                       .downstream = downstream::Downstream::make(
                           home(), std::make_unique<test::FakeOpener>(three), {.name = "three"},
                           gateway().weak_from_this()),
                       .home = home()});

    change({.servers = std::move(servers)});
    loop.run_for(1s);

    EXPECT_NE(listed().find("three__t"), std::string::npos);
    EXPECT_NE(listed().find("one__t"), std::string::npos);
}

TEST_F(GatewayChangeTest, NotifiesAgentsOnlyOfChangedLists) {
    const auto session = connect();
    const auto outlet = std::make_shared<test::RecordingOutlet>();
    session->set_outlet(outlet);

    change({.servers = *gateway().servers()});
    EXPECT_TRUE(outlet->sent.empty()) << outlet->sent.front();

    change({.servers = without("two")});
    EXPECT_EQ(std::ranges::count(
                  outlet->sent, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"),
              1);
}

TEST_F(GatewayChangeTest, HidesTheSecretsOfBothConfigs) {
    options.secrets = {"old-secret"};
    create();

    change(
        {.servers = *gateway().servers(), .agent_headers = {"x-key"}, .secrets = {"new-secret"}});

    EXPECT_EQ(*gateway().calls()->secrets->all(),
              (std::vector<std::string>{"new-secret", "old-secret"}));
    EXPECT_EQ(*gateway().on(home()).context().agent_headers, std::vector<std::string>{"x-key"});
}

// A loop that does not run stands for one that is busy.
TEST_F(GatewayChangeTest, EveryLoopSeesTheNewSurfaceAtOnce) {
    resilience::testing::VirtualLoop busy;
    const net::OwningLoop other{.executor = busy.context.get_executor(),
                                .timekeeper = &busy.timekeeper};
    options.loops = {home(), other};
    begin();
    ASSERT_EQ(gateway().on(other).context().surface, gateway().surface());

    change({.servers = without("two"), .agent_headers = {"x-key"}});

    EXPECT_EQ(gateway().on(other).context().surface, gateway().surface());
    EXPECT_EQ(gateway().on(other).context().surface->find_tool("two__t"), nullptr);
    EXPECT_EQ(*gateway().on(other).context().agent_headers, std::vector<std::string>{"x-key"});
}

}  // namespace
}  // namespace holdfast::dispatch
