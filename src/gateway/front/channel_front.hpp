#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "dispatch/request_dispatcher.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::front {

/// Who is at the other end of a channel.
struct ChannelPeer {
    std::string principal = "anonymous";
    /// What it brought along for downstreams when it connected; null = nothing.
    std::shared_ptr<const downstream::AgentHeaders> agent_headers = {};
    /// How long calls may still take, and be answered, when the agent has said its last word: on
    /// stdio the two directions end apart.
    resilience::Duration last_answers_wait = resilience::Duration::zero();
};

/// Serves one agent on a channel of messages, stdio or WebSocket, until the channel ends. Legacy
/// and modern requests may both come; the connection is the session.
[[nodiscard]] boost::asio::awaitable<void> serve_channel(
    net::OwningLoop loop, std::unique_ptr<net::MessageChannel> channel,
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher, ChannelPeer peer);

}  // namespace holdfast::front
