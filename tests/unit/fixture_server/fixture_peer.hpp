#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "jsonrpc/message_reader.hpp"
#include "support/fixture_server/server.hpp"

namespace holdfast::fixture {

/// Keeps what the server says.
class MemoryOutlet final : public Outlet {
public:
    void send(std::string_view message) override { messages.emplace_back(message); }
    void finish(std::string_view message, int http_status) override {
        messages.emplace_back(message);
        status = http_status;
    }
    void abandon() override { is_abandoned = true; }
    void send_junk() override { messages.emplace_back(kJunk); }

    std::vector<std::string> messages;
    int status = 0;
    bool is_abandoned = false;
};

/// A client in memory that shares one session with a server of its own.
class FixturePeer {
public:
    explicit FixturePeer(ServerOptions options = {})
        : server(context_.get_executor(), std::move(options)) {
        session->unrelated = unrelated;
    }
    ~FixturePeer() { session->cancel_all(); }
    FixturePeer(const FixturePeer&) = delete;
    FixturePeer& operator=(const FixturePeer&) = delete;

    /// Sends one message, and lets the server do all that it can do without waiting.
    std::shared_ptr<MemoryOutlet> send(std::string text,
                                       const net::HttpHeaders* headers = nullptr) {
        auto outlet = std::make_shared<MemoryOutlet>();
        const jsonrpc::PaddedText padded{std::move(text)};
        const auto message = reader_.read(padded);
        server.serve(
            {.message = message.value(), .session = session, .outlet = outlet, .headers = headers});
        run();
        return outlet;
    }
    /// Sends one message as on a channel, whose first request decides the era.
    std::shared_ptr<MemoryOutlet> send_on_channel(std::string text) {
        auto outlet = std::make_shared<MemoryOutlet>();
        const jsonrpc::PaddedText padded{std::move(text)};
        const auto message = reader_.read(padded);
        server.serve(era_, {.message = message.value(), .session = session, .outlet = outlet});
        run();
        return outlet;
    }
    void run() {
        context_.restart();
        context_.poll();
    }

    /// A call of a tool by a legacy client; `rest` are further members of its params.
    std::shared_ptr<MemoryOutlet> call(std::string_view tool, std::string_view rest = {}) {
        return send(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" +
                    std::string{tool} + "\"" + std::string{rest} + "}}");
    }
    /// The same by a modern client with these capabilities.
    std::shared_ptr<MemoryOutlet> modern_call(std::string_view tool, std::string_view capabilities,
                                              std::string_view rest = {}) {
        return call(tool, std::string{rest} + "," + envelope(capabilities));
    }
    void initialize(std::string_view capabilities = "{}") {
        send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
             R"("protocolVersion":"2025-11-25","clientInfo":{"name":"peer","version":"1"},)"
             R"("capabilities":)" +
             std::string{capabilities} + "}}");
    }

    static std::string envelope(std::string_view capabilities, std::string_view rest = {}) {
        return R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
               R"("io.modelcontextprotocol/clientCapabilities":)" +
               std::string{capabilities} + std::string{rest} + "}";
    }

private:
    boost::asio::io_context context_;
    jsonrpc::MessageReader reader_;
    std::optional<mcp::Era> era_;

public:
    FixtureServer server;
    std::shared_ptr<Session> session = std::make_shared<Session>();
    std::shared_ptr<MemoryOutlet> unrelated = std::make_shared<MemoryOutlet>();
};

/// A part of a message, by the names on the way to it; null if it is not there.
inline boost::json::value part(std::string_view message, std::vector<std::string_view> path) {
    boost::json::value value = boost::json::parse(message);
    for (const std::string_view name : path) {
        const auto* object = value.if_object();
        if (object == nullptr || !object->contains(name)) {
            return nullptr;
        }
        boost::json::value inner = object->at(name);
        value = std::move(inner);
    }
    return value;
}

/// The text of the first block of a tool's result.
inline std::string text_of(std::string_view message) {
    const boost::json::value content = part(message, {"result", "content"});
    return content.is_array() ? std::string{content.at(0).at("text").as_string()} : std::string{};
}

}  // namespace holdfast::fixture
