// A connection that becomes a WebSocket. The channel itself has its own tests.
#include <gtest/gtest.h>

#include <tuple>

#include "net/http_server.hpp"
#include "served_http.hpp"

namespace holdfast::net {
namespace {

using Accepted = NetResult<std::unique_ptr<MessageChannel>>;
using Message = NetResult<std::string>;

constexpr std::string_view kUpgrade =
    "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: mcp\r\n\r\n";
// Masked with zeroes, which changes nothing.
constexpr std::string_view kMaskedHi{"\x81\x82\0\0\0\0hi", 8};

boost::asio::awaitable<void> accept(std::shared_ptr<HttpExchange> exchange,
                                    std::optional<Accepted>* result) {
    result->emplace(co_await exchange->accept_websocket({.subprotocol = "mcp"}));
}

boost::asio::awaitable<void> read_one(MessageChannel* channel, std::optional<Message>* result) {
    const auto text = co_await channel->read();
    if (text) {
        result->emplace(std::string{*text});
    } else {
        result->emplace(text.error());
    }
}

void ignore_exception(const std::exception_ptr& exception) {
    EXPECT_FALSE(exception);
}

class HttpServerWebSocketTest : public ServedHttpTest {
protected:
    HttpServerWebSocketTest() { handler_->keeps = true; }

    Accepted accepted(std::shared_ptr<HttpExchange> exchange) {
        std::optional<Accepted> result;
        boost::asio::co_spawn(context_, accept(std::move(exchange), &result), ignore_exception);
        run_until([&] { return result.has_value(); });
        return std::move(*result);
    }
    Message read(MessageChannel& channel) {
        std::optional<Message> result;
        boost::asio::co_spawn(context_, read_one(&channel, &result), ignore_exception);
        run_until([&] { return result.has_value(); });
        return std::move(*result);
    }
};

TEST_F(HttpServerWebSocketTest, CarriesMessagesInBothDirections) {
    start();
    RawClient from = client();
    from.send(kUpgrade);
    auto exchange = next_exchange();
    EXPECT_TRUE(exchange->wants_websocket());

    auto channel = accepted(std::move(exchange));

    ASSERT_TRUE(channel) << channel.error().message;
    EXPECT_EQ(server_->connection_count(), 0U);
    const std::string head = answer(from, 1);
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    EXPECT_NE(head.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
              std::string::npos)
        << head;
    EXPECT_NE(head.find("Sec-WebSocket-Protocol: mcp\r\n"), std::string::npos) << head;
    from.send(kMaskedHi);
    EXPECT_EQ(*read(**channel), "hi");
    EXPECT_TRUE((*channel)->try_write("{}"));
    EXPECT_EQ(answer(from, 4), "\x81\x02{}");
    from.close();
    EXPECT_EQ(read(**channel).error().code, NetErrc::closed);
}

TEST_F(HttpServerWebSocketTest, AcceptsAnUpgradeWithHugeHeadersThatTheHandshakeDoesNotRead) {
    start({.max_header_bytes = std::size_t{1} << 20});
    RawClient from = client();
    const std::string huge = "X-Huge: " + std::string(70'000, 'x') + "\r\n";
    from.send(std::string{kUpgrade}.insert(kUpgrade.find("Upgrade:"), huge));

    const auto channel = accepted(next_exchange());

    ASSERT_TRUE(channel) << channel.error().message;
    EXPECT_TRUE(answer(from, 1).starts_with("HTTP/1.1 101 "));
}

TEST_F(HttpServerWebSocketTest, LeavesHugeHeadersOfTheHandshakeOut) {
    start({.max_header_bytes = std::size_t{1} << 20});
    RawClient from = client();
    const std::string huge = "Sec-WebSocket-Extensions: " + std::string(70'000, 'x') + "\r\n";
    const std::string hidden = "Sec-WebSocket-Protocol: " + std::string(70'000, 'x') + "\r\n";
    from.send(std::string{kUpgrade}.insert(kUpgrade.find("Upgrade:"), huge + hidden));

    const auto channel = accepted(next_exchange());

    EXPECT_TRUE(channel);  // what is too long counts as missing
    EXPECT_TRUE(answer(from, 1).starts_with("HTTP/1.1 101 "));
}

TEST_F(HttpServerWebSocketTest, RefusesAClientThatDoesNotWaitForTheAnswer) {
    start();
    RawClient from = client();
    from.send(std::string{kUpgrade} + std::string{kMaskedHi});

    const auto channel = accepted(next_exchange());

    ASSERT_FALSE(channel);
    EXPECT_EQ(channel.error().code, NetErrc::closed);
    EXPECT_EQ(answer_until_end(from), "");
}

TEST_F(HttpServerWebSocketTest, AnswersAnUpgradeLikeAnyRequest) {
    start();
    RawClient from = client();
    from.send(kUpgrade);
    next_exchange()->reply({.body = "no"});
    EXPECT_EQ(answer(from, ok("no").size()), ok("no"));

    from.send(post("next"));

    next_exchange()->reply({.body = "yes"});
    EXPECT_EQ(answer(from, ok("yes").size()), ok("yes"));
}

TEST_F(HttpServerWebSocketTest, AcceptsAnUpgradeThatWasSentAfterAnotherRequest) {
    start();
    RawClient from = client();
    from.send(post("first") + std::string{kUpgrade});
    const auto first = next_exchange();
    settle();  // the connection reads on while the first request waits for its answer
    first->reply({.body = "one"});

    const auto channel = accepted(next_exchange());

    ASSERT_TRUE(channel) << channel.error().message;
    const std::string answers = answer(from, ok("one").size() + 1);
    EXPECT_TRUE(answers.starts_with(ok("one") + "HTTP/1.1 101 ")) << answers;
    from.send(kMaskedHi);
    EXPECT_EQ(*read(**channel), "hi");
}

TEST_F(HttpServerWebSocketTest, ReadsOnAfterAnUpgradeThatWasSentAfterAnotherRequestAndRefused) {
    start();
    RawClient from = client();
    from.send(post("first") + std::string{kUpgrade});
    const auto first = next_exchange();
    settle();
    first->reply({.body = "one"});
    next_exchange()->reply({.body = "no"});
    EXPECT_EQ(answer(from, ok("one").size() + ok("no").size()), ok("one") + ok("no"));

    from.send(post("next"));

    next_exchange()->reply({.body = "yes"});
    EXPECT_EQ(answer(from, ok("yes").size()), ok("yes"));
}

}  // namespace
}  // namespace holdfast::net
