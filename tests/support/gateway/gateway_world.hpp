#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/modern_agent.hpp"
#include "asio/virtual_loop.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "support/gateway/fake_server.hpp"
#include "support/gateway/recording_port.hpp"
#include "support/test_guard.hpp"

namespace holdfast::test {

using Port = std::shared_ptr<RecordingPort>;

/// The capabilities of a modern agent of the tests.
inline constexpr std::string_view kAllAbilities =
    R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})";

/// A gateway in virtual time, in front of fake servers.
class GatewayWorld : public ::testing::Test {
protected:
    GatewayWorld() { options.ask_timeout = std::chrono::minutes{5}; }
    // Ends everything that a test left running before the loop is destroyed.
    ~GatewayWorld() override {
        if (gateway_) {
            boost::asio::co_spawn(loop.context, gateway_->stop(),
                                  [](const std::exception_ptr& error) { EXPECT_FALSE(error); });
            loop.run_for(std::chrono::minutes{1});
        }
        for (const auto& [name, server] : servers_) {
            server->calls.clear();  // calls hold their callers, which hold the server
        }
    }

    std::shared_ptr<FakeServer> add_server(std::string name, mcp::Era era) {
        auto server = std::make_shared<FakeServer>();
        server->negotiated.revision =
            era == mcp::Era::modern ? mcp::kNewestModern : mcp::kNewestLegacy;
        servers_.emplace_back(std::move(name), server);
        return server;
    }
    /// Starts the gateway and lets the servers list their items.
    void begin() { begin_with({}); }
    /// The same with a step before the servers are added.
    void begin_with(const std::function<void(dispatch::Gateway&)>& prepare) {
        create(prepare);
        loop.run_for(std::chrono::milliseconds{200});
    }
    void create(const std::function<void(dispatch::Gateway&)>& prepare = {}) {
        gateway_ = std::make_shared<dispatch::Gateway>(
            home(), options, [this] { return secret_prefix + std::to_string(++secrets_); },
            listing_cache);
        if (prepare) {
            prepare(*gateway_);
        }
        std::vector<surface::Server> adopted;
        for (const auto& [name, server] : servers_) {
            adopted.push_back(
                {.name = name,
                 .downstream = downstream::Downstream::make(
                     home(), std::make_unique<FakeOpener>(server), {.name = name}, gateway_),
                 .home = home(),
                 .guard = holdfast::testing::guard_with(name, policy, nullptr, tool_rules)});
        }
        gateway_->adopt(std::move(adopted));
        dispatcher_ = std::make_unique<dispatch::RequestDispatcher>(gateway_);
    }

    [[nodiscard]] net::OwningLoop home() {
        return {.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper};
    }
    /// Runs work on the loop, and everything that follows from it.
    template <class Work>
    void on_loop(Work work) {
        boost::asio::post(loop.context, std::move(work));
        loop.settle();
    }

    /// Returns a session after the handshake.
    std::shared_ptr<agents::AgentSession> connect(const std::string& capabilities = "{}",
                                                  const std::string& version = "2025-11-25",
                                                  const std::string& principal = "ada") {
        auto session = gateway_->sessions().open(principal, loop.timekeeper.now());
        on_loop([&] {
            const jsonrpc::PaddedText text{
                R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
                version + R"(","capabilities":)" + capabilities + "}}"};
            handshake = dispatcher_->initialized(*jsonrpc::thread_reader().read(text), *session);
        });
        return session;
    }

    /// Sends a request of a legacy agent.
    Port request(const std::shared_ptr<agents::AgentSession>& session, const std::string& method,
                 const std::string& params, const std::string& id = "1",
                 Port port = std::make_shared<RecordingPort>()) {
        send(method, params, id, [&](const jsonrpc::Message& message) -> agents::IncomingRequest {
            return {.message = message,
                    .agent = session->agent(),
                    .session = session,
                    .port = port,
                    .loop = home()};
        });
        return port;
    }

    struct Modern {
        std::string capabilities{kAllAbilities};
        std::string principal = "ada";
        std::string more_meta = {};  ///< Members, each preceded by a comma.
        std::shared_ptr<agents::AgentSession> session = {};
        const net::HttpHeaders* headers = nullptr;
    };
    /// Sends a request of a modern agent; `members` are those of its params.
    Port request(const Modern& from, const std::string& method, const std::string& members,
                 const std::string& id = "1") {
        auto port = std::make_shared<RecordingPort>();
        const std::string params =
            "{" + members + (members.empty() ? "" : ",") +
            R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},)"
            R"("io.modelcontextprotocol/clientCapabilities":)" +
            from.capabilities + from.more_meta + "}}";
        send(method, params, id, [&](const jsonrpc::Message& message) -> agents::IncomingRequest {
            return {.message = message,
                    .agent = agents::modern_agent(message, from.principal),
                    .session = from.session,
                    .port = port,
                    .loop = home(),
                    .headers = from.headers};
        });
        return port;
    }

    void notify(agents::AgentSession& session, const std::string& method,
                const std::string& params) {
        on_loop([&] {
            const jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","method":")" + method +
                                           R"(","params":)" + params + "}"};
            dispatcher_->on_notification(*jsonrpc::thread_reader().read(text), session);
        });
    }
    /// Answers a question as the agent; `member` is a result or an error.
    void reply(agents::AgentSession& session, const std::string& id, const std::string& member) {
        on_loop([&] {
            const jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","id":)" + id + "," + member + "}"};
            dispatcher_->on_response(*jsonrpc::thread_reader().read(text), session);
        });
    }
    void answer(ServedCall& call, downstream::CallResult result) {
        on_loop([&] { call.answer(std::move(result)); });
    }

    [[nodiscard]] std::size_t parked() const { return gateway_->calls()->parked->size(); }
    [[nodiscard]] dispatch::Gateway& gateway() { return *gateway_; }

    resilience::testing::VirtualLoop loop;
    dispatch::GatewayOptions options;
    std::shared_ptr<dispatch::ListingCache> listing_cache;  ///< May be null.
    std::string secret_prefix = "secret";                   ///< Of each random secret.
    /// Of all servers, as JSON.
    std::string policy = R"({"timeout": "60s", "attemptTimeout": "none", "retry": "none"})";
    /// The section `tools` of the config, as JSON.
    std::string tool_rules = "[]";
    std::string handshake;

private:
    template <class Make>
    void send(const std::string& method, const std::string& params, const std::string& id,
              Make make) {
        on_loop([&] {
            const jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" +
                                           method + "\"" +
                                           (params.empty() ? "}" : R"(,"params":)" + params + "}")};
            const auto message = jsonrpc::thread_reader().read(text);
            ASSERT_TRUE(message) << text.view();
            dispatcher_->on_request(make(*message));
        });
    }

    int secrets_ = -1;  // the first one is for call ids
    std::vector<std::pair<std::string, std::shared_ptr<FakeServer>>> servers_;
    std::shared_ptr<dispatch::Gateway> gateway_;
    std::unique_ptr<dispatch::RequestDispatcher> dispatcher_;
};

}  // namespace holdfast::test
