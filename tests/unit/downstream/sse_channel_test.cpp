#include "downstream/sse_channel.hpp"

#include <deque>

#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

using SentRequest = net::HttpClientRequest;
using SendResult =
    resilience::Result<std::unique_ptr<net::HttpClientResponse>, net::HttpClientError>;

/// A scripted server of the old transport that records its requests.
struct FakeServer {
    explicit FakeServer(resilience::Timekeeper& timekeeper) : news(timekeeper) {}

    void stream(std::string bytes) {
        pieces.push_back(std::move(bytes));
        news.signal();
    }

    std::deque<std::string> pieces;  ///< Of the stream; an empty one ends it.
    resilience::OneShot news;
    std::vector<SentRequest> posts;
    int stream_status = 200;
    int post_status = 202;
    bool has_open_stream = false;
};

class FakeResponse final : public net::HttpClientResponse {
public:
    FakeResponse(std::shared_ptr<FakeServer> server, int status, bool is_stream)
        : server_(std::move(server)), status_(status), is_stream_(is_stream) {
        headers_.add("content-type", is_stream ? "text/event-stream; charset=utf-8" : "text/plain");
        server_->has_open_stream |= is_stream;
    }
    ~FakeResponse() override {
        if (is_stream_) {
            server_->has_open_stream = false;
        }
    }

    [[nodiscard]] int status() const override { return status_; }
    [[nodiscard]] const net::HttpHeaders& headers() const override { return headers_; }
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string>> read_all(
        std::size_t, resilience::Deadline) override {
        co_return std::string{"Accepted"};
    }
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read_some(
        resilience::Deadline deadline) override {
        while (server_->pieces.empty()) {
            const auto reason = co_await server_->news.wait_until(deadline.when());
            if (reason != resilience::WakeReason::signalled) {
                const bool is_late = reason == resilience::WakeReason::time;
                co_return net::NetError{
                    .code = is_late ? net::NetErrc::timed_out : net::NetErrc::cancelled,
                    .message = is_late ? "too late" : "cancelled"};
            }
        }
        piece_ = std::move(server_->pieces.front());
        server_->pieces.pop_front();
        co_return std::string_view{piece_};
    }

private:
    std::shared_ptr<FakeServer> server_;
    int status_;
    bool is_stream_;
    net::HttpHeaders headers_;
    std::string piece_;
};

class FakeClient final : public net::HttpClient {
public:
    explicit FakeClient(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}

    [[nodiscard]] boost::asio::awaitable<SendResult> send(net::OwningLoop, SentRequest request,
                                                          resilience::Deadline) override {
        const bool is_stream = request.method == "GET";
        const int status = is_stream ? server_->stream_status : server_->post_status;
        if (!is_stream) {
            // The target is a view into the session, so the test keeps a copy.
            targets.emplace_back(request.target);
            server_->posts.push_back(std::move(request));
        }
        co_return std::unique_ptr<net::HttpClientResponse>{
            std::make_unique<FakeResponse>(server_, status, is_stream && status == 200)};
    }

    std::vector<std::string> targets;

private:
    std::shared_ptr<FakeServer> server_;
};

class SseChannelTest : public ::testing::Test {
protected:
    using Opened = net::NetResult<std::unique_ptr<net::MessageChannel>>;
    using Read = net::NetResult<std::string_view>;

    ~SseChannelTest() override {
        channel.reset();
        loop.settle();
        EXPECT_FALSE(server->has_open_stream);
    }

    void start_opening(const SseChannelOptions& options = {}) {
        opening.emplace(
            loop, open_sse_channel({loop.context.get_executor(), &loop.timekeeper},
                                   {.client = client, .url = url, .headers = "X: 1\r\n"}, options,
                                   resilience::Deadline::after(loop.timekeeper.now(), 10s)));
        loop.settle();
    }
    void open(const SseChannelOptions& options = {}) {
        server->stream("event: endpoint\ndata: /messages?s=1\n\n");
        start_opening(options);
        ASSERT_TRUE(opening->result());
        channel = std::move(*opening->take());
    }
    std::string read() {
        Running<Read> reading{loop, channel->read()};
        loop.settle();
        if (!reading.has_ended()) {
            reading.cancel();
            loop.settle();
            return "nothing";
        }
        return reading.result() ? std::string{*reading.result()} : reading.result().error().message;
    }
    void stream(std::string bytes) {
        server->stream(std::move(bytes));
        loop.settle();
    }

    resilience::testing::VirtualLoop loop;
    std::shared_ptr<FakeServer> server = std::make_shared<FakeServer>(loop.timekeeper);
    std::shared_ptr<FakeClient> client = std::make_shared<FakeClient>(server);
    net::HttpUrl url{.host = "127.0.0.1", .port = 80, .target = "/sse"};
    std::optional<Running<Opened>> opening;
    std::unique_ptr<net::MessageChannel> channel;
};

TEST_F(SseChannelTest, PostsMessagesInOrderToTheEndpoint) {
    open();

    EXPECT_TRUE(channel->try_write("{\"n\":1}"));
    EXPECT_TRUE(channel->try_write("{\"n\":2}"));
    loop.settle();

    ASSERT_EQ(server->posts.size(), 2U);
    EXPECT_EQ(server->posts[0].body, "{\"n\":1}");
    EXPECT_EQ(server->posts[1].body, "{\"n\":2}");
    EXPECT_EQ(server->posts[0].headers, "Content-Type: application/json\r\nX: 1\r\n");
    EXPECT_EQ(client->targets[0], "/messages?s=1");
}

TEST_F(SseChannelTest, PostsUrgentMessagesFirst) {
    open();

    EXPECT_TRUE(channel->try_write("a"));
    EXPECT_TRUE(channel->try_write_urgent("b"));
    loop.settle();

    ASSERT_EQ(server->posts.size(), 2U);
    EXPECT_EQ(server->posts[0].body, "b");
}

TEST_F(SseChannelTest, ReadsMessagesFromTheStream) {
    open();

    stream("data: {\"a\"\n");
    EXPECT_EQ(read(), "nothing");
    stream("data: :1}\n\nevent: other\ndata: x\n\nevent: message\ndata: {}\n\n");

    EXPECT_EQ(read(), "{\"a\"\n:1}");
    EXPECT_EQ(read(), "{}");
    EXPECT_EQ(read(), "nothing");
}

TEST_F(SseChannelTest, ReportsMessagesOverTheLimitAndContinues) {
    open({.max_message_bytes = 16});

    stream("data: 12345678901234567890\n\ndata: {}\n\n");

    EXPECT_EQ(read(), "a message of the server is over the limit");
    EXPECT_EQ(read(), "{}");
}

TEST_F(SseChannelTest, PausesTheStreamWhenTooMuchIsUnread) {
    open({.max_unread_messages = 2});

    stream("data: 1\n\ndata: 2\n\ndata: 3\n\n");
    stream("data: 4\n\n");

    EXPECT_EQ(server->pieces.size(), 1U);
    for (const std::string expected : {"1", "2", "3", "4"}) {
        EXPECT_EQ(read(), expected);
    }
}

TEST_F(SseChannelTest, EndsWithTheStreamAfterItsLastMessage) {
    open();

    stream("data: {}\n\n");
    stream("");

    EXPECT_EQ(read(), "{}");
    EXPECT_EQ(read(), "the server has ended the stream");
    EXPECT_FALSE(channel->try_write("{}"));
}

TEST_F(SseChannelTest, EndsWhenAMessageIsNotAccepted) {
    open();
    server->post_status = 404;

    EXPECT_TRUE(channel->try_write("{}"));
    loop.settle();

    EXPECT_EQ(read(), "the server answered a message with HTTP status 404");
}

TEST_F(SseChannelTest, RejectsAnEndpointOfAnotherOrigin) {
    server->stream("event: endpoint\ndata: http://127.0.0.1:81/messages\n\n");

    start_opening();

    ASSERT_FALSE(opening->result());
    EXPECT_NE(opening->result().error().message.find("another origin"), std::string::npos);
    EXPECT_FALSE(server->has_open_stream);
}

TEST_F(SseChannelTest, RejectsAReplyThatIsNotAStream) {
    server->stream_status = 405;

    start_opening();

    ASSERT_FALSE(opening->result());
    EXPECT_NE(opening->result().error().message.find("405"), std::string::npos);
}

TEST_F(SseChannelTest, WaitsForTheEndpointUpToTheDeadline) {
    start_opening();
    EXPECT_FALSE(opening->has_ended());

    loop.run_for(10s);

    ASSERT_TRUE(opening->has_ended());
    EXPECT_EQ(opening->result().error().code, net::NetErrc::timed_out);
}

TEST_F(SseChannelTest, PostsQueuedMessagesBeforeItCloses) {
    open();
    EXPECT_TRUE(channel->try_write("{}"));

    boost::asio::co_spawn(loop.context, channel->close(), [](const std::exception_ptr&) {});
    loop.settle();

    EXPECT_EQ(server->posts.size(), 1U);
    EXPECT_FALSE(server->has_open_stream);
    EXPECT_EQ(read(), "the channel was closed");
}

TEST_F(SseChannelTest, WakesAReaderWhenItIsDestroyed) {
    open();
    Running<Read> reading{loop, channel->read()};
    loop.settle();

    channel.reset();
    loop.settle();

    ASSERT_TRUE(reading.has_ended());
    EXPECT_EQ(reading.result().error().code, net::NetErrc::closed);
}

TEST_F(SseChannelTest, RejectsMessagesWhenItsQueueIsFull) {
    open({.write_queue = {.max_messages = 1}});

    EXPECT_TRUE(channel->try_write("{}"));

    EXPECT_FALSE(channel->try_write("{}"));
}

}  // namespace
}  // namespace holdfast::downstream
