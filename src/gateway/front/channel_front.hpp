#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "dispatch/request_dispatcher.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::front {

/// The limits of what waits for an agent that reads slowly. Requests are not read while more than
/// `kPauseReadingAbove` waits, and notifications are dropped and counted above
/// `kDropNotificationsAbove`. Beyond `kAgentQueue`, which has space for the answers to all calls in
/// flight, the agent is disconnected: either it gets every answer, or it knows that it does not.
inline constexpr net::Unwritten kPauseReadingAbove{.messages = 128,
                                                   .size_bytes = std::size_t{32} * 1024 * 1024};
inline constexpr net::Unwritten kDropNotificationsAbove{
    .messages = 256, .size_bytes = std::size_t{64} * 1024 * 1024};
inline constexpr net::WriteQueueOptions kAgentQueue{.max_messages = 4'096,
                                                    .max_bytes = std::size_t{256} * 1024 * 1024};

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
/// requests are both accepted; the connection is the session. The channel should have
/// `kAgentQueue`.
[[nodiscard]] boost::asio::awaitable<void> serve_channel(
    net::OwningLoop loop, std::unique_ptr<net::MessageChannel> channel,
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher, ChannelPeer peer);

}  // namespace holdfast::front
