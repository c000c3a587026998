#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/http_exchange.hpp"

namespace holdfast::test {

/// An HTTP request without a connection. Reports if it is answered twice.
class FakeExchange final : public net::HttpExchange {
public:
    explicit FakeExchange(net::OwningLoop loop) : loop_(std::move(loop)) {}
    FakeExchange(const FakeExchange&) = delete;
    FakeExchange& operator=(const FakeExchange&) = delete;
    ~FakeExchange() override {
        if (on_destroyed) {
            on_destroyed();
        }
    }

    [[nodiscard]] const net::HttpRequest& request() const override { return request_; }
    [[nodiscard]] std::string take_body() override { return {}; }
    [[nodiscard]] const net::OwningLoop& loop() const override { return loop_; }

    void reply(net::HttpReply reply) override {
        note(is_answered_ ? "ANSWERED TWICE" : "reply " + std::to_string(reply.status));
        is_answered_ = true;
        body = std::move(reply.body);
    }
    void start_stream(std::string_view /*headers*/) override {
        note(is_answered_ ? "ANSWERED TWICE" : "stream");
        is_answered_ = true;
        is_streaming_ = true;
    }
    bool send(std::string bytes, net::Importance /*importance*/) override {
        note(is_streaming_ ? std::move(bytes) : "SENT OUTSIDE A STREAM");
        if (const auto callback = std::exchange(on_sent, nullptr)) {
            callback();
        }
        return !is_gone_;
    }
    void finish_stream() override {
        note(is_streaming_ ? "end" : "ENDED OUTSIDE A STREAM");
        is_streaming_ = false;
    }
    [[nodiscard]] bool is_streaming() const override { return is_streaming_; }
    [[nodiscard]] bool is_gone() const override { return is_gone_; }
    void on_gone(std::function<void()> listener) override { gone = std::move(listener); }
    [[nodiscard]] bool wants_websocket() const override { return false; }
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::unique_ptr<net::MessageChannel>>>
    accept_websocket(net::WebSocketTerms /*terms*/) override {
        co_return net::NetError{};
    }

    /// The client closes its connection.
    void leave() {
        is_gone_ = true;
        if (gone) {
            gone();
        }
    }

    std::vector<std::string> log;  ///< The operations on it, in order.
    std::string body;
    std::function<void()> gone;
    std::function<void()> on_sent;  ///< Called once.
    std::function<void()> on_destroyed;

private:
    void note(std::string what) { log.push_back(std::move(what)); }

    const net::OwningLoop loop_;
    net::HttpRequest request_;
    bool is_answered_ = false;
    bool is_streaming_ = false;
    bool is_gone_ = false;
};

}  // namespace holdfast::test
