#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <string_view>

#include "net/net_error.hpp"

namespace holdfast::net {

/// What a peer has not taken yet.
struct Unwritten {
    std::size_t messages = 0;  ///< With the one that is being written.
    std::size_t size_bytes = 0;

    [[nodiscard]] bool is_within(const Unwritten& limit) const noexcept {
        return messages <= limit.messages && size_bytes <= limit.size_bytes;
    }
};

/// Complete messages in both directions, in order: the standard streams of a child or of this
/// process, a WebSocket, or memory in a test. Destroying it ends it immediately; a coroutine that
/// waits on it gets `closed`.
///
/// Thread-safety: none; belongs to its loop.
class MessageChannel {
public:
    MessageChannel() = default;
    MessageChannel(const MessageChannel&) = delete;
    MessageChannel& operator=(const MessageChannel&) = delete;
    virtual ~MessageChannel() = default;

    /// Queues a JSON text as one message. Does not wait: fails if the queue is full (`overloaded`)
    /// and if the channel has ended (`closed`).
    [[nodiscard]] virtual NetResult<void> try_write(std::string_view json) = 0;
    /// The same ahead of all queued messages, but never inside a message that is being written.
    [[nodiscard]] virtual NetResult<void> try_write_urgent(std::string_view json) = 0;

    /// Reads the next message; the view is valid until the next call. After `message_too_long`
    /// reading continues with the next message. `closed` when the peer has ended. One call at a
    /// time.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::string_view>> read() = 0;

    /// While `is_awaited` returns true, a silent peer does not count as gone: a call with its own
    /// timeout waits for its answer. It is called on the loop until all operations have ended.
    virtual void be_patient_while(const std::function<bool()>& /*is_awaited*/) {}

    /// What waits to be written. A channel that has ended has nothing left to write.
    [[nodiscard]] virtual Unwritten unwritten() const { return {}; }
    /// Waits until at most that much is unwritten, or until the channel has ended. One call at a
    /// time.
    [[nodiscard]] virtual boost::asio::awaitable<void> wait_for_room(Unwritten /*limit*/) {
        co_return;
    }
    /// Whether the peer has everything that was written, as far as the system knows.
    [[nodiscard]] virtual bool is_flushed() const { return unwritten().messages == 0; }
    /// Ends reads with `closed`, although the peer may send more. What is queued is written.
    /// `close` must follow.
    virtual void stop_reading() {}
    /// Gives up a peer that does not take what it is sent: drops what is queued, and ends reads
    /// with `closed`. `close` must follow. It completes the message that is being written, and
    /// sends the short text if the transport can carry it.
    virtual void give_up(std::string_view /*words*/) {}

    /// Closes in order: writes what is queued, then notifies the peer, within limits of the
    /// channel. Pending reads get `closed`.
    [[nodiscard]] virtual boost::asio::awaitable<void> close() = 0;
    /// The same with a short text for the peer if the transport can carry it. The text need not
    /// outlive the call.
    [[nodiscard]] virtual boost::asio::awaitable<void> close_saying(std::string_view /*words*/) {
        return close();
    }
};

}  // namespace holdfast::net
