#include "front/sse_sessions.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <utility>

#include "front/mcp_request_head.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/expect_no_exception.hpp"
#include "net/run_on.hpp"
#include "net/sse_writer.hpp"

namespace holdfast::front {

/// The messages of one agent: it writes to the event stream, and reads what the agent POSTs.
///
/// Thread-safety: none; belongs to the loop of the stream, except `try_reserve`.
class SseAgentChannel final : public net::MessageChannel, private resilience::Timer {
public:
    /// Starts the stream.
    SseAgentChannel(std::shared_ptr<net::HttpExchange> exchange, const std::string& endpoint)
        : exchange_(std::move(exchange)), loop_(exchange_->loop()), news_(*loop_.timekeeper) {
        exchange_->start_stream({});
        send({.data = endpoint, .type = "endpoint"});
        plan_keep_alive();
    }
    ~SseAgentChannel() override {
        if (is_scheduled()) {
            loop_.timekeeper->cancel(*this);
        }
    }

    /// Claims a slot for a message that `push` will bring. Returns false if too many wait. May be
    /// called from any thread.
    [[nodiscard]] bool try_reserve() {
        if (waiting_.fetch_add(1) < kMaxWaiting) {
            return true;
        }
        waiting_.fetch_sub(1);
        return false;
    }
    void push(std::string message) {
        unread_.push_back(std::move(message));
        news_.signal();
    }
    void on_gone() {
        is_over_ = true;
        news_.signal();
    }

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override {
        if (is_over_ || !send({.data = json, .type = "message"})) {
            return net::NetError{.code = net::NetErrc::closed, .message = "the stream has ended"};
        }
        return {};
    }
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override {
        return try_write(json);
    }
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read() override {
        while (unread_.empty()) {
            if (is_over_ || co_await news_.wait_until(resilience::TimePoint::max()) ==
                                resilience::WakeReason::cancelled) {
                co_return net::NetError{.code = net::NetErrc::closed,
                                        .message = "the stream has ended"};
            }
        }
        last_read_ = std::move(unread_.front());
        unread_.pop_front();
        waiting_.fetch_sub(1);
        co_return std::string_view{last_read_};
    }
    [[nodiscard]] boost::asio::awaitable<void> close() override {
        if (!std::exchange(is_over_, true)) {
            exchange_->finish_stream();
        }
        co_return;
    }

private:
    /// Messages of one agent that wait for the loop.
    static constexpr std::size_t kMaxWaiting = 1'024;
    static constexpr auto kKeepAlive = std::chrono::seconds{15};

    bool send(const net::SseOutgoing& event) {
        std::string bytes;
        net::append_sse_event(bytes, event);
        return exchange_->send(std::move(bytes), net::Importance::must_arrive);
    }
    void plan_keep_alive() {
        loop_.timekeeper->schedule(*this,
                                   resilience::saturating_add(loop_.timekeeper->now(), kKeepAlive));
    }
    void on_time() override {
        if (!is_over_) {
            exchange_->send(std::string{net::kSseKeepAlive}, net::Importance::droppable);
            plan_keep_alive();
        }
    }

    const std::shared_ptr<net::HttpExchange> exchange_;
    const net::OwningLoop loop_;
    std::atomic<std::size_t> waiting_ = 0;
    std::deque<std::string> unread_;
    std::string last_read_;  // owns the text of the view returned last
    resilience::OneShot news_;
    bool is_over_ = false;
};

namespace {

namespace asio = boost::asio;

/// Shares a channel with those who POST to it.
class SharedChannel final : public net::MessageChannel {
public:
    explicit SharedChannel(std::shared_ptr<SseAgentChannel> channel)
        : channel_(std::move(channel)) {}

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override {
        return channel_->try_write(json);
    }
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override {
        return channel_->try_write_urgent(json);
    }
    [[nodiscard]] asio::awaitable<net::NetResult<std::string_view>> read() override {
        return channel_->read();
    }
    [[nodiscard]] asio::awaitable<void> close() override { return channel_->close(); }

private:
    const std::shared_ptr<SseAgentChannel> channel_;
};

std::string session_id_in(std::string_view target) {
    constexpr std::string_view kName = "sessionId=";
    const std::size_t query = target.find('?');
    std::string_view rest = query == std::string_view::npos ? "" : target.substr(query + 1);
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        if (part.starts_with(kName)) {
            return std::string{part.substr(kName.size())};
        }
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return {};
}

}  // namespace

std::optional<net::HttpReply> SseSessions::refused(const net::HttpRequest& request) {
    const std::string_view method = request.path == kSsePath ? "GET" : "POST";
    if (request.method == method) {
        return std::nullopt;
    }
    return net::HttpReply{.status = 405,
                          .headers = "Allow: " + std::string{method} + "\r\n",
                          .body = R"({"error":"Use )" + std::string{method} + R"(."})"};
}

void SseSessions::on_request(const std::shared_ptr<net::HttpExchange>& exchange, ChannelPeer peer) {
    if (exchange->request().path == kSsePath) {
        open(exchange, std::move(peer));
    } else {
        take_message(*exchange, peer.principal);
    }
}

void SseSessions::open(const std::shared_ptr<net::HttpExchange>& exchange, ChannelPeer peer) {
    std::string id = make_secret_();
    const auto channel = std::make_shared<SseAgentChannel>(
        exchange, std::string{kSseMessagesPath} + "?sessionId=" + id);
    streams_.with([&](auto& streams) {
        streams.insert_or_assign(
            id, Stream{.principal = peer.principal, .loop = exchange->loop(), .channel = channel});
    });
    exchange->on_gone([weak = std::weak_ptr{channel}] {
        if (const auto open = weak.lock()) {
            open->on_gone();
        }
    });
    asio::co_spawn(
        exchange->loop().executor,
        serve_channel(exchange->loop(), std::make_unique<SharedChannel>(channel), dispatcher_,
                      std::move(peer)),
        [self = shared_from_this(), id = std::move(id)](const std::exception_ptr& failure) {
            self->streams_.with([&](auto& streams) { streams.erase(id); });
            net::expect_no_exception(failure);
        });
}

void SseSessions::take_message(net::HttpExchange& exchange, const std::string& principal) {
    const std::string id = session_id_in(exchange.request().target);
    const Stream stream = streams_.with([&](const auto& streams) {
        const auto found = streams.find(id);
        return found != streams.end() ? found->second : Stream{};
    });
    const auto channel = stream.channel.lock();
    // An id alone grants no access.
    if (!channel || stream.principal != principal) {
        exchange.reply(error_reply(
            404, {}, {.code = kSessionNotFound, .message = "Session not found; open /sse again."}));
        return;
    }
    if (!channel->try_reserve()) {
        exchange.reply(error_reply(
            503, {},
            {.code = kSessionFault, .message = "Too many messages wait; try again later."}));
        return;
    }
    net::run_on(stream.loop, [channel, body = exchange.take_body()]() mutable {
        channel->push(std::move(body));
    });
    exchange.reply({.status = 202, .content_type = "text/plain", .body = "Accepted"});
}

}  // namespace holdfast::front
