#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "dispatch/request_dispatcher.hpp"
#include "front/channel_front.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/http_exchange.hpp"

namespace holdfast::front {

inline constexpr std::string_view kSsePath = "/sse";
inline constexpr std::string_view kSseMessagesPath = "/messages";

class SseAgentChannel;

/// The transport of the revision 2024-11-05 for agents: a GET opens an event stream, whose first
/// event names the address to which the agent POSTs its messages. The answers arrive on the stream,
/// and the session ends with it.
///
/// Thread-safety: from any loop.
class SseSessions final : public std::enable_shared_from_this<SseSessions> {
public:
    /// `make_secret` returns at least 128 random bits in printable characters, from any thread.
    SseSessions(std::shared_ptr<const dispatch::RequestDispatcher> dispatcher,
                std::function<std::string()> make_secret)
        : dispatcher_(std::move(dispatcher)), make_secret_(std::move(make_secret)) {}

    /// Whether the path belongs to this transport.
    [[nodiscard]] static bool serves(std::string_view path) noexcept {
        return path == kSsePath || path == kSseMessagesPath;
    }
    /// Returns the refusal of a request for one of these paths, from its head.
    [[nodiscard]] static std::optional<net::HttpReply> refused(const net::HttpRequest& request);
    /// Handles a request for one of these paths.
    void on_request(const std::shared_ptr<net::HttpExchange>& exchange, ChannelPeer peer);

private:
    /// An open stream.
    struct Stream {
        std::string principal = {};
        net::OwningLoop loop = {};
        std::weak_ptr<SseAgentChannel> channel = {};
    };

    void open(const std::shared_ptr<net::HttpExchange>& exchange, ChannelPeer peer);
    void take_message(net::HttpExchange& exchange, const std::string& principal);

    const std::shared_ptr<const dispatch::RequestDispatcher> dispatcher_;
    const std::function<std::string()> make_secret_;
    resilience::Synchronized<std::unordered_map<std::string, Stream>> streams_;
};

}  // namespace holdfast::front
