#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string_view>

#include "net/net_error.hpp"

namespace holdfast::net {

/// Whole messages in both directions, in order: the standard streams of a child or of our own, a
/// WebSocket, or a piece of memory in a test. Destroying it ends it at once; a coroutine that waits
/// on it then gets `closed`.
///
/// Thread-safety: none; belongs to its loop.
class MessageChannel {
public:
    MessageChannel() = default;
    MessageChannel(const MessageChannel&) = delete;
    MessageChannel& operator=(const MessageChannel&) = delete;
    virtual ~MessageChannel() = default;

    /// Puts a JSON text in the queue as one message. Does not wait: refuses when the queue is full
    /// (`overloaded`) and when the channel has ended (`closed`).
    [[nodiscard]] virtual NetResult<void> try_write(std::string_view json) = 0;
    /// The same ahead of all that waits, but never inside a message that is being written.
    [[nodiscard]] virtual NetResult<void> try_write_urgent(std::string_view json) = 0;

    /// The next message; the view is valid until the next call. After `message_too_long` reading
    /// goes on with the next one. `closed` when the peer has ended. One call at a time.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::string_view>> read() = 0;

    /// While `is_awaited` says yes, a peer that has fallen silent does not count as gone: somebody
    /// waits for its answer, with a limit of their own. It is asked on the loop, until all that
    /// is under way has ended.
    virtual void be_patient_while(const std::function<bool()>& /*is_awaited*/) {}

    /// Ends it politely: what waits is still written, then the peer is told, within limits of the
    /// channel's own. Pending reads get `closed`.
    [[nodiscard]] virtual boost::asio::awaitable<void> close() = 0;
    /// The same, with a few words for the peer if the transport can carry them. They need not
    /// outlive the call.
    [[nodiscard]] virtual boost::asio::awaitable<void> close_saying(std::string_view /*words*/) {
        return close();
    }
};

}  // namespace holdfast::net
