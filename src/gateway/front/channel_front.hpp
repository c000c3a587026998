#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "dispatch/request_dispatcher.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::front {

/// The peer of a channel.
struct ChannelPeer {
    std::string principal = "anonymous";
    /// The headers for downstreams that the peer sent when it connected; null = none.
    std::shared_ptr<const downstream::AgentHeaders> agent_headers = {};
    /// How long calls may take after the agent's end of input. On stdio the two directions close
    /// separately.
    resilience::Duration last_answers_wait = resilience::Duration::zero();
};

/// Serves one agent on a stdio or WebSocket channel until the channel ends. Legacy and modern
/// requests are both accepted; the connection is the session.
[[nodiscard]] boost::asio::awaitable<void> serve_channel(
    net::OwningLoop loop, std::unique_ptr<net::MessageChannel> channel,
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher, ChannelPeer peer);

}  // namespace holdfast::front
