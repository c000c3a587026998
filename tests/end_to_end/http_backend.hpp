#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/http_server.hpp"

namespace holdfast::test {

/// A request as the backend received it.
struct BackendRequest {
    std::string line = {};  ///< "GET /path?query"
    std::string body = {};
    std::map<std::string, std::string, std::less<>> headers = {};  ///< In small letters.

    [[nodiscard]] std::string header(std::string_view name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? "none" : found->second;
    }
};

/// A plain HTTP API on a loopback port, on its own thread. It sends the configured answers;
/// otherwise those of `respond`, or 404.
///
/// Thread-safety: all from any thread.
class HttpBackend final {
public:
    using Respond = std::function<net::HttpReply(const BackendRequest&)>;

    static constexpr int kSilent = 0;  ///< The status of an answer that never comes.

    /// `respond` is called on the backend's thread.
    explicit HttpBackend(Respond respond = {}) : timekeeper_(context_.get_executor()) {
        handler_->respond = std::move(respond);
        auto server =
            net::HttpServer::listen({{context_.get_executor(), &timekeeper_}}, {}, handler_);
        EXPECT_TRUE(server);
        server_ = std::move(*server);
        port_ = server_->port();
        thread_ = std::thread{[this] { context_.run(); }};
    }
    HttpBackend(const HttpBackend&) = delete;
    HttpBackend& operator=(const HttpBackend&) = delete;
    ~HttpBackend() {
        boost::asio::post(context_, [this] { server_.reset(); });
        guard_.reset();
        context_.stop();
        thread_.join();
    }

    /// Sets the answer to "GET /path" from now on.
    void answer(const std::string& line, int status, std::string body) {
        answer_with(line, {.status = status, .body = std::move(body)});
    }
    void answer_with(const std::string& line, net::HttpReply reply) {
        handler_->state.with([&](State& state) { state.answers[line] = std::move(reply); });
    }
    /// Removes the answer to "GET /path".
    void forget(const std::string& line) {
        handler_->state.with([&](State& state) { state.answers.erase(line); });
    }
    /// Lets "GET /path" get no answer from now on.
    void be_silent(const std::string& line) {
        handler_->state.with([&](State& state) { state.answers[line] = {.status = kSilent}; });
    }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::vector<BackendRequest> requests() const {
        return handler_->state.with([](const State& state) { return state.requests; });
    }
    /// Returns the last request; an empty one if there was none.
    [[nodiscard]] BackendRequest last() const {
        const auto all = requests();
        return all.empty() ? BackendRequest{} : all.back();
    }

private:
    struct State {
        std::map<std::string, net::HttpReply> answers = {};
        std::vector<BackendRequest> requests = {};
        std::vector<std::shared_ptr<net::HttpExchange>> unanswered = {};
    };

    struct Handler final : net::HttpHandler {
        std::optional<net::HttpReply> refused(const net::HttpRequest& /*request*/) override {
            return std::nullopt;
        }
        void on_request(std::shared_ptr<net::HttpExchange> exchange) override {
            const net::HttpRequest& request = exchange->request();
            BackendRequest seen{.line = std::string{request.method} + " " +
                                        std::string{request.target}};
            for (const net::HttpHeader& header : request.headers.lines()) {
                std::string name{header.name};
                std::ranges::transform(name, name.begin(), [](char one) {
                    return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
                });
                seen.headers[name] = std::string{header.value};
            }
            seen.body = exchange->take_body();
            const net::HttpReply reply = state.with([&](State& held) {
                const auto found = held.answers.find(seen.line);
                held.requests.push_back(seen);
                net::HttpReply chosen{.status = 404, .body = R"({"detail":"Not Found"})"};
                if (found != held.answers.end()) {
                    chosen = found->second;
                } else if (respond) {
                    chosen = respond(seen);
                }
                if (chosen.status == kSilent) {
                    held.unanswered.push_back(exchange);
                }
                return chosen;
            });
            if (reply.status != kSilent) {
                exchange->reply(reply);
            }
        }

        Respond respond;
        resilience::Synchronized<State> state;
    };

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        context_.get_executor()};
    resilience::LoopTimekeeper timekeeper_;
    std::shared_ptr<Handler> handler_ = std::make_shared<Handler>();
    std::unique_ptr<net::HttpServer> server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace holdfast::test
