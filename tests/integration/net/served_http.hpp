#pragma once

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/http_server.hpp"
#include "raw_client.hpp"
#include "resilience/tests/support/manual_timekeeper.hpp"

namespace holdfast::net {

using namespace std::chrono_literals;

inline std::string post(std::string_view body, std::string_view further_lines = {}) {
    return "POST /mcp?x=1 HTTP/1.1\r\nHost: here\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n" + std::string{further_lines} + "\r\n" +
           std::string{body};
}

inline std::string ok(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

/// Answers with the body of the request, or keeps the exchange for the test to answer.
class TestHandler final : public HttpHandler {
public:
    std::optional<HttpReply> refused(const HttpRequest& request) override {
        ++asked_count;
        EXPECT_TRUE(request.body.empty());
        return refusal;
    }
    void on_request(std::shared_ptr<HttpExchange> exchange) override {
        if (keeps) {
            kept.push_back(std::move(exchange));
            return;
        }
        HttpReply reply;
        reply.body = exchange->take_body();
        exchange->reply(std::move(reply));
    }
    std::string reply_headers(const HttpRequest& request) override {
        const auto value = request.headers.find(echoed_header);
        return value ? "X-Echo: " + std::string{*value} + "\r\n" : std::string{};
    }

    std::optional<HttpReply> refusal;
    std::string echoed_header = "X-Nobody-Asked";  ///< Every answer repeats it as X-Echo.
    bool keeps = false;
    std::vector<std::shared_ptr<HttpExchange>> kept;
    int asked_count = 0;
};

/// A server on one loop that runs while the test waits for something, in time that the test
/// advances.
class ServedHttpTest : public ::testing::Test {
protected:
    void start(const HttpServerOptions& options = {}) {
        auto server = HttpServer::listen({loop()}, options, handler_);
        ASSERT_TRUE(server) << server.error().message;
        server_ = std::move(*server);
    }

    [[nodiscard]] RawClient client(int receive_buffer_bytes = 0) {
        RawClient made{server_->port(), receive_buffer_bytes};
        EXPECT_TRUE(made.is_connected());
        return made;
    }

    template <class Condition>
    void run_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!condition()) {
            context_.restart();
            context_.poll();
            if (std::chrono::steady_clock::now() > end) {
                FAIL() << "the awaited condition did not become true";
            }
        }
    }
    /// Runs until nothing happens any more. On a busy machine the kernel may deliver bytes late.
    void settle() {
        for (int quiet = 0; quiet < 3;) {
            context_.restart();
            quiet = context_.run_for(1ms) == 0 ? quiet + 1 : 0;
        }
    }

    /// Runs until the client has received exactly that many bytes, or the server has closed.
    std::string answer(RawClient& from, std::size_t size_bytes) {
        run_until([&] {
            from.receive();
            return from.received().size() >= size_bytes || from.has_ended();
        });
        return from.take_received();
    }
    std::string answer_until_end(RawClient& from) {
        run_until([&] {
            from.receive();
            return from.has_ended();
        });
        return from.take_received();
    }
    /// Sends a request and expects exactly that answer.
    void expect_answer(RawClient& from, std::string_view request, const std::string& expected) {
        from.send(request);
        EXPECT_EQ(answer(from, expected.size()), expected);
    }
    void expect_refusal(std::string_view request, int status) {
        RawClient from = client();
        from.send(request);
        const std::string text = answer_until_end(from);
        EXPECT_TRUE(text.starts_with("HTTP/1.1 " + std::to_string(status) + " ")) << text;
        EXPECT_NE(text.find("Connection: close\r\n"), std::string::npos) << text;
        EXPECT_NE(text.find("{\"error\":\""), std::string::npos) << text;
    }
    /// Returns the exchange that the handler keeps for the test.
    std::shared_ptr<HttpExchange> next_exchange() {
        run_until([&] { return !handler_->kept.empty(); });
        auto exchange = std::move(handler_->kept.front());
        handler_->kept.erase(handler_->kept.begin());
        return exchange;
    }

    void advance(resilience::Duration time) {
        timekeeper_.advance_to(timekeeper_.now() + time);
        settle();
    }
    [[nodiscard]] OwningLoop loop() { return {context_.get_executor(), &timekeeper_}; }

    boost::asio::io_context context_{1};
    resilience::testing::ManualTimekeeper timekeeper_;
    std::shared_ptr<TestHandler> handler_ = std::make_shared<TestHandler>();
    std::unique_ptr<HttpServer> server_;
};

}  // namespace holdfast::net
