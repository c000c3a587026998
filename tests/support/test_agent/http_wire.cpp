#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/test_agent/agent_wire.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

/// Sends every message as a POST on its own connection, and reads all open connections.
class HttpWire final : public AgentWire {
public:
    HttpWire(std::uint16_t port, std::string headers) : port_(port), headers_(std::move(headers)) {}

    void send(const OutgoingMessage& message) override {
        std::string headers = headers_;
        if (message.is_modern) {
            headers +=
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + message.method + "\r\n" +
                (message.name.empty() ? std::string{} : "Mcp-Name: " + message.name + "\r\n");
        } else if (!session_.empty()) {
            headers += "Mcp-Session-Id: " + session_ + "\r\n";
        }
        auto exchange = std::make_unique<HttpExchange>(
            port_, http_text(port_, {.headers = headers, .body = message.text}));
        if (exchange->descriptor() >= 0) {
            open_.push_back({.id = message.id, .exchange = std::move(exchange)});
        }
    }

    std::string receive(std::chrono::milliseconds limit) override {
        while (true) {
            for (Open& open : open_) {
                if (std::string message = taken_from(*open.exchange); !message.empty()) {
                    return message;
                }
            }
            std::erase_if(open_, [](const Open& open) { return open.exchange->is_complete(); });
            if (open_.empty() || !advance_one(limit)) {
                return {};
            }
        }
    }

    bool drop(const std::string& id) override {
        return std::erase_if(open_, [&id](const Open& open) { return open.id == id; }) != 0;
    }

private:
    struct Open {
        std::string id = {};
        std::unique_ptr<HttpExchange> exchange = {};
    };

    std::string taken_from(HttpExchange& exchange) {
        std::string message = exchange.take_message();
        if (const std::string session = exchange.header("Mcp-Session-Id"); !session.empty()) {
            session_ = session;
        }
        return message;
    }

    // Returns false if nothing arrives on any connection, or if one has failed.
    bool advance_one(std::chrono::milliseconds limit) {
        std::vector<pollfd> ready;
        for (const Open& open : open_) {
            ready.push_back({.fd = open.exchange->descriptor(), .events = POLLIN, .revents = 0});
        }
        if (::poll(ready.data(), ready.size(), static_cast<int>(limit.count())) <= 0) {
            return false;
        }
        const auto first =
            std::ranges::find_if(ready, [](const pollfd& polled) { return polled.revents != 0; });
        Open& open = open_[static_cast<std::size_t>(first - ready.begin())];
        if (!open.exchange->advance()) {
            open_.erase(open_.begin() + (first - ready.begin()));
            return !open_.empty();
        }
        return true;
    }

    const std::uint16_t port_;
    const std::string headers_;
    std::string session_;
    std::vector<Open> open_;
};

}  // namespace

std::unique_ptr<AgentWire> make_http_wire(std::uint16_t port, std::string headers) {
    return std::make_unique<HttpWire>(port, std::move(headers));
}

}  // namespace holdfast::test
