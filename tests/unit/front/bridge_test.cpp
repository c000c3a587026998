#include "front/bridge.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "asio/virtual_loop.hpp"
#include "support/gateway/fake_exchange.hpp"

namespace holdfast::front {
namespace {

using Headers = std::vector<net::HttpHeader>;

class BridgeTest : public ::testing::Test {
protected:
    [[nodiscard]] int status_of(std::string_view target, const Headers& headers = {}) const {
        net::HttpRequest request{.method = "GET", .target = target, .path = "/bridge/tab"};
        for (const net::HttpHeader& header : headers) {
            request.headers.add(header.name, header.value);
        }
        const auto reply = bridge.refused(request);
        return reply ? reply->status : 0;
    }

    resilience::testing::VirtualLoop loop;
    const net::OwningLoop home{loop.context.get_executor(), &loop.timekeeper};
    const Bridge bridge{
        {.path = "/bridge/tab", .token = "se=cr&et", .origins = {"https://a.example"}},
        std::make_shared<downstream::DialIn>(home, "/bridge/tab")};
};

TEST_F(BridgeTest, TakesTheTokenFromTheQuery) {
    EXPECT_EQ(status_of("/bridge/tab?token=se%3Dcr%26et"), 0);
    EXPECT_EQ(status_of("/bridge/tab?a=b&token=se=cr%26et&c"), 0);
    for (const std::string_view target :
         {"/bridge/tab", "/bridge/tab?", "/bridge/tab?token=", "/bridge/tab?token=se=cr&et",
          "/bridge/tab?Token=se%3Dcr%26et", "/bridge/tab?token=se%3Dcr%26e",
          "/bridge/tab?token=se%3Dcr%26ett", "/bridge/tab?token=%", "/bridge/tab?&&=&%3"}) {
        EXPECT_EQ(status_of(target), 401) << target;
    }
}

TEST_F(BridgeTest, TakesTheTokenFromASubprotocol) {
    EXPECT_EQ(status_of("/b", {{"Sec-WebSocket-Protocol", "mcp, holdfast.token.se=cr&et"}}), 0);
    EXPECT_EQ(status_of("/b", {{"sec-websocket-protocol", "holdfast.token.se=cr&et ,x"}}), 0);
    for (const std::string_view offered :
         {"", ",", "mcp", "se=cr&et", "holdfast.token.", "holdfast.token.se", " , ,"}) {
        EXPECT_EQ(status_of("/b", {{"Sec-WebSocket-Protocol", offered}}), 401) << offered;
    }
}

TEST_F(BridgeTest, TakesTheTokenFromAHeader) {
    EXPECT_EQ(status_of("/b", {{"Authorization", "Bearer se=cr&et"}}), 0);
    EXPECT_EQ(status_of("/b", {{"authorization", "bearer  se=cr&et"}}), 0);
    EXPECT_EQ(status_of("/b", {{"Authorization", "Bearer other"}}), 401);
    EXPECT_EQ(status_of("/b", {{"Authorization", "Basic se=cr&et"}}), 401);
    EXPECT_EQ(status_of("/b", {{"Authorization", "Bearer"}}), 401);
}

TEST_F(BridgeTest, AcceptsOnlyItsOrigins) {
    const net::HttpHeader token{.name = "Authorization", .value = "Bearer se=cr&et"};

    EXPECT_EQ(status_of("/b", {token, {"Origin", "https://a.example"}}), 0);
    for (const std::string_view origin : {"https://b.example", "http://a.example", "null", "",
                                          "https://a.example.evil", "http://127.0.0.1"}) {
        EXPECT_EQ(status_of("/b", {token, {"Origin", origin}}), 403) << origin;
    }
}

TEST_F(BridgeTest, RequiresAWebSocket) {
    const auto exchange = std::make_shared<test::FakeExchange>(home);

    bridge.on_request(exchange);

    EXPECT_EQ(exchange->log, std::vector<std::string>{"reply 426"});
}

}  // namespace
}  // namespace holdfast::front
