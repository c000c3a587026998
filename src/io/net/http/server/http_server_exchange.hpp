#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/buffer_budget.hpp"
#include "net/http/server/http_connection.hpp"
#include "net/http_exchange.hpp"

namespace holdfast::net {

/// The exchange of a server's connection. It owns the head and the body of its request, so they
/// stay valid as long as the exchange is held.
///
/// Thread-safety: none; belongs to the loop of its connection.
class HttpServerExchange final : public HttpExchange,
                                 public std::enable_shared_from_this<HttpServerExchange> {
public:
    explicit HttpServerExchange(std::string_view head);
    ~HttpServerExchange() override;

    [[nodiscard]] std::string_view head() const noexcept { return {head_.get(), head_bytes_}; }
    [[nodiscard]] HttpRequest& incoming_request() noexcept { return request_; }
    /// Counts the body until the exchange ends, since what is made of it lives that long.
    [[nodiscard]] BufferShare& body_share() noexcept { return body_share_; }
    /// The request is complete and can be answered.
    void open(std::shared_ptr<HttpConnection> connection);
    /// The connection has ended. Notifies the listener, but not from within this call.
    void on_client_gone();
    /// The same without a notification: the loop is being destroyed.
    void on_loop_gone();

    [[nodiscard]] const HttpRequest& request() const override { return request_; }
    [[nodiscard]] std::string take_body() override { return std::move(request_.body); }
    [[nodiscard]] const OwningLoop& loop() const override { return connection_->loop(); }
    void reply(HttpReply reply) override;
    void start_stream(std::string_view headers) override;
    bool send(std::string bytes, Importance importance) override;
    void finish_stream() override;
    [[nodiscard]] bool is_streaming() const override { return state_ == State::streaming; }
    [[nodiscard]] bool is_gone() const override { return is_gone_; }
    void on_gone(std::function<void()> listener) override;
    [[nodiscard]] bool wants_websocket() const override { return wants_websocket_; }
    [[nodiscard]] boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>>
    accept_websocket(WebSocketTerms terms) override;

private:
    enum class State : std::uint8_t { incoming, waiting, streaming, over };

    void tell_gone_later();
    void end();

    const std::unique_ptr<char[]> head_;
    const std::size_t head_bytes_;
    HttpRequest request_;
    BufferShare body_share_;
    std::shared_ptr<HttpConnection> connection_;
    std::function<void()> listener_;
    State state_ = State::incoming;
    bool is_gone_ = false;
    bool wants_websocket_ = false;
};

}  // namespace holdfast::net
