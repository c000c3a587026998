#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin/admin_handler.hpp"
#include "support/gateway/gateway_world.hpp"
#include "telemetry/recording.hpp"

namespace holdfast::admin::testing {

/// A request without a connection that records its answer.
class FakeAdminExchange final : public net::HttpExchange {
public:
    FakeAdminExchange(net::OwningLoop loop, std::string method, std::string target,
                      std::vector<net::HttpHeader> headers)
        : loop_(std::move(loop)), method_(std::move(method)), target_(std::move(target)) {
        request_.method = method_;
        request_.target = target_;
        request_.path = std::string_view{target_}.substr(0, target_.find('?'));
        for (const net::HttpHeader& header : headers) {
            request_.headers.add(header.name, header.value);
        }
    }

    [[nodiscard]] const net::HttpRequest& request() const override { return request_; }
    [[nodiscard]] std::string take_body() override { return {}; }
    [[nodiscard]] const net::OwningLoop& loop() const override { return loop_; }
    void reply(net::HttpReply reply) override {
        ++answers;
        answer = std::move(reply);
    }
    void start_stream(std::string_view /*headers*/) override { ++answers; }
    bool send(std::string bytes, net::Importance /*importance*/) override {
        streamed += bytes;
        return true;
    }
    void finish_stream() override {}
    [[nodiscard]] bool is_streaming() const override { return false; }
    [[nodiscard]] bool is_gone() const override { return false; }
    void on_gone(std::function<void()> listener) override { gone = std::move(listener); }
    [[nodiscard]] bool wants_websocket() const override { return false; }
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::unique_ptr<net::MessageChannel>>>
    accept_websocket(net::WebSocketTerms /*terms*/) override {
        co_return net::NetError{};
    }

    net::HttpReply answer;
    int answers = 0;
    std::string streamed;
    std::function<void()> gone;

private:
    const net::OwningLoop loop_;
    const std::string method_;
    const std::string target_;
    net::HttpRequest request_;
};

/// A gateway in virtual time with its admin side.
class AdminWorld : public test::GatewayWorld {
protected:
    static constexpr std::int64_t kWallMs = 1'767'323'045'678;  // 2026-01-02T03:04:05.678Z

    AdminWorld() {
        recording_ = std::make_shared<telemetry::Recording>(
            telemetry::RecordingOptions{},
            telemetry::RecordingDeps{
                .now_ms = [] { return kWallMs; },
                .query_hash = [](std::string_view) { return std::string{"hash"}; }});
        options.recorder = recording_;
    }

    /// Starts one server, `code`, with the tools `t` and `safe`.
    std::shared_ptr<test::FakeServer> start() {
        auto server = add_server("code", mcp::Era::legacy);
        begin();
        make_admin();
        return server;
    }
    void make_admin() {
        reader_ = std::make_shared<const admin::StatusReader>(
            admin::StatusSources{.gateway = shared_gateway(),
                                 .recording = recording_,
                                 .now_ms = [] { return kWallMs; },
                                 .facts = {.version = "1.2.3", .pid = 7, .started_ms = kWallMs},
                                 .started = loop.timekeeper.now(),
                                 .buffers = &buffers_});
        control_ = std::make_shared<const admin::Control>(
            admin::ControlDeps{.gateway = shared_gateway(),
                               .recorder = recording_,
                               .reload = [this](const admin::ControlDone& done) {
                                   ++reloads_;
                                   done({.message = "Read."});
                               }});
    }

    [[nodiscard]] std::shared_ptr<dispatch::Gateway> shared_gateway() {
        return gateway().shared_from_this();
    }
    [[nodiscard]] std::string status_text() {
        return admin::json_of(reader_->read(loop.timekeeper.now()));
    }
    [[nodiscard]] boost::json::value status() { return boost::json::parse(status_text()); }
    [[nodiscard]] boost::json::value server_status() {
        return status().at("downstream_servers").at("code");
    }

    /// Sends a request through the gate and returns its answer.
    std::shared_ptr<FakeAdminExchange> ask(const std::string& method, const std::string& target,
                                           std::vector<net::HttpHeader> headers = {},
                                           admin::AdminGateOptions gate = {}) {
        headers.push_back({"Host", "127.0.0.1:7333"});
        auto exchange =
            std::make_shared<FakeAdminExchange>(home(), method, target, std::move(headers));
        const auto handler = std::make_shared<admin::AdminHandler>(
            admin::AdminDeps{reader_, control_}, std::move(gate));
        on_loop([&] {
            if (auto refusal = handler->refused(exchange->request())) {
                exchange->reply(std::move(*refusal));
            } else {
                handler->on_request(exchange);
            }
        });
        return exchange;
    }
    std::shared_ptr<FakeAdminExchange> post(const std::string& target) {
        return ask("POST", target, {{"Holdfast-Control", "1"}});
    }

    net::BufferBudget buffers_{1'000'000};
    std::shared_ptr<telemetry::Recording> recording_;
    std::shared_ptr<const admin::StatusReader> reader_;
    std::shared_ptr<const admin::Control> control_;
    int reloads_ = 0;
};

}  // namespace holdfast::admin::testing
