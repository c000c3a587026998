// A server that connects to the gateway: a WebSocket client that serves tools, as a page does.

#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "end_to_end/bridge_page.hpp"
#include "end_to_end/scene.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr std::string_view kToken = "a-token-of-the-page";
const Upgrade kWithToken{.target = "/bridge/page?token=a-token-of-the-page"};

class BridgeTest : public testing::Test {
protected:
    void SetUp() override {
        scene_.add_server("page", R"({"type":"ws","listen":"/bridge/page","token":")" +
                                      std::string{kToken} +
                                      R"(","origins":["https://page.example"]})");
        ASSERT_TRUE(scene_.start());
        agent_ = std::make_unique<TestAgent>(scene_.agent(kAgentLegs[1]));
        ASSERT_TRUE(agent_->open());
    }
    /// A page with a tool that agents can call.
    std::unique_ptr<BridgePage> open_page() {
        auto page = std::make_unique<BridgePage>(port(), kWithToken);
        EXPECT_EQ(page->status(), 101);
        EXPECT_TRUE(page->serve_list());
        EXPECT_TRUE(agent().finds_tool("title"));
        return page;
    }
    void expect_call(BridgePage& page, const std::string& text) {
        const std::string request = agent().send(tool_call("title"));
        const std::string call = page.next_call();
        ASSERT_NE(call, "");
        page.answer(call, text);
        EXPECT_EQ(plain_text(member_text(agent().answer_to(request), "text")), text);
    }
    [[nodiscard]] GatewayProcess& gateway() { return scene_.gateway(); }
    [[nodiscard]] TestAgent& agent() const { return *agent_; }
    [[nodiscard]] std::uint16_t port() const { return scene_.port(); }

private:
    Scene scene_;
    std::unique_ptr<TestAgent> agent_;
};

TEST_F(BridgeTest, CallsAToolOfAConnectedPage) {
    const auto page = open_page();

    expect_call(*page, "A page");
    expect_call(*page, "The same");
}

TEST_F(BridgeTest, AcceptsTheTokenInEachOfThreeForms) {
    for (const Upgrade& upgrade :
         {kWithToken,
          Upgrade{.target = "/bridge/page?x=1&token=a%2Dtoken-of-the-page", .subprotocols = ""},
          Upgrade{.target = "/bridge/page",
                  .subprotocols = "mcp, holdfast.token.a-token-of-the-page"},
          Upgrade{.target = "/bridge/page", .subprotocols = "holdfast.token.a-token-of-the-page"},
          Upgrade{.target = "/bridge/page",
                  .headers = "Authorization: Bearer a-token-of-the-page\r\n"},
          Upgrade{.target = kWithToken.target, .headers = "Origin: https://page.example\r\n"}}) {
        EXPECT_EQ(BridgePage(port(), upgrade).status(), 101)
            << upgrade.target << upgrade.subprotocols;
    }
}

TEST_F(BridgeTest, RefusesOtherClients) {
    EXPECT_EQ(BridgePage(port(), {.target = "/bridge/page"}).status(), 401);
    EXPECT_EQ(BridgePage(port(), {.target = "/bridge/page?token=a-token-of-the-pag"}).status(),
              401);
    EXPECT_EQ(BridgePage(port(), {.target = "/bridge/page?token=a-token-of-the-page2"}).status(),
              401);
    EXPECT_EQ(BridgePage(port(), {.target = kWithToken.target,
                                  .headers = "Origin: https://evil.example\r\n"})
                  .status(),
              403);
    EXPECT_EQ(BridgePage(port(), {.target = "/bridge/other?token=a-token-of-the-page"}).status(),
              404);
}

TEST_F(BridgeTest, FailsACallInFlightWhenThePageDisconnects) {
    auto page = open_page();
    const std::string request = agent().send(tool_call("title"));
    ASSERT_NE(page->next_call(), "");

    page.reset();

    const std::string answer = agent().answer_to(request);
    EXPECT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
    EXPECT_EQ(member_text(answer, "sideEffects"), "\"possible\"") << answer;
}

TEST_F(BridgeTest, ReportsThatNoPageIsConnectedAndUsesAPageThatReconnects) {
    open_page().reset();

    std::string answer;
    // Until the gateway has noticed the disconnect, a call fails in flight.
    for (int tries = 0; tries < 100 && answer.find("nothing has connected") == std::string::npos;
         ++tries) {
        answer = agent().request(tool_call("title"));
        ASSERT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
    }
    EXPECT_NE(answer.find("nothing has connected at /bridge/page"), std::string::npos) << answer;
    EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
    EXPECT_EQ(member_text(answer, "retryAfter"), "") << answer;
    EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;

    for (const std::string text : {"Once more", "And again"}) {
        const auto page = open_page();
        expect_call(*page, text);
    }
}

TEST_F(BridgeTest, UsesTheNewestOfTwoPages) {
    const auto old_page = open_page();
    const std::string request = agent().send(tool_call("title"));
    ASSERT_NE(old_page->next_call(), "");

    const auto new_page = open_page();

    EXPECT_EQ(old_page->reason_of_close(), "Another page has connected and replaces this one.");
    const std::string answer = agent().answer_to(request);
    EXPECT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
    EXPECT_NE(answer.find("replaced by another connection"), std::string::npos) << answer;
    expect_call(*new_page, "The new one");
}

TEST_F(BridgeTest, UsesAPageThatConnectsDuringTheHandshakeOfAnother) {
    const BridgePage silent{port(), kWithToken};
    ASSERT_EQ(silent.status(), 101);

    const auto page = open_page();

    expect_call(*page, "The one that talks");
}

TEST_F(BridgeTest, DisconnectsThePageWhenItEnds) {
    auto page = open_page();

    gateway().program().send(SIGTERM);

    EXPECT_EQ(page->reason_of_close(), "");
    page.reset();
    EXPECT_EQ(gateway().stop(), 0);
}

}  // namespace
}  // namespace holdfast::test
