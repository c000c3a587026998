#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "net/http/server/connection_slots.hpp"
#include "net/http/server/input_buffer.hpp"
#include "net/http_client.hpp"
#include "net/reactor/polled_socket.hpp"
#include "net/tls/tls_client.hpp"

namespace holdfast::net {

class ClientConnection;

/// Notified when an idle connection can no longer be used.
class IdleOwner {
public:
    IdleOwner() = default;
    IdleOwner(const IdleOwner&) = delete;
    IdleOwner& operator=(const IdleOwner&) = delete;
    virtual ~IdleOwner() = default;

    virtual void on_idle_end(ClientConnection& connection) = 0;
};

/// Notified when a connection that is in use may have something to read.
class NewsListener {
public:
    NewsListener() = default;
    NewsListener(const NewsListener&) = delete;
    NewsListener& operator=(const NewsListener&) = delete;
    virtual ~NewsListener() = default;

    /// Bytes have arrived, or the connection has ended.
    virtual void on_news() = 0;
};

/// One connection to a server: bytes out, bytes in, one exchange after another.
///
/// A read is outstanding as soon as the connection is idle. So a close by the server is noticed
/// immediately, and the same read receives the answer to the next request: an exchange costs one
/// write, which rarely has to wait, and one read. Operations end in callbacks that share ownership.
/// A coroutine waits in a `OneShot` with the deadline; a listener waits without either.
///
/// Thread-safety: none; belongs to its loop.
class ClientConnection final : public StreamEvents,
                               public SocketEvents,
                               public std::enable_shared_from_this<ClientConnection> {
public:
    /// Most answers fit into one read of this size; larger reads are used while a body keeps
    /// filling it.
    static constexpr std::size_t kBufferBytes = std::size_t{16} * 1024;

    /// `spare` has buffers of `kBufferBytes`.
    ClientConnection(const OwningLoop& loop, boost::asio::ip::tcp::socket socket,
                     ConnectionSlot slot, std::shared_ptr<SpareBuffers> spare);

    [[nodiscard]] boost::asio::awaitable<NetResult<void>> secure(TlsContext context,
                                                                 std::string host,
                                                                 resilience::Deadline deadline);

    /// Begins to write at the end of the loop's turn.
    void start_request(HttpClientRequest request, std::string_view authority);
    /// Returns whether the server may have received a part of the request.
    [[nodiscard]] bool may_have_sent() const noexcept { return tls_ || written_bytes_ > 0; }
    /// Sends the same request as another connection that has not sent any of it.
    void start_request_of(ClientConnection& other);
    /// Received bytes that have not been consumed. Valid until `receive_more`.
    [[nodiscard]] std::string_view unread() const noexcept { return input_.view(); }
    void consume(std::size_t size_bytes) { input_.consume(size_bytes); }
    /// Waits until there is more to read; returns false at the orderly end. Closes the connection
    /// on errors.
    [[nodiscard]] boost::asio::awaitable<NetResult<bool>> receive_more(
        resilience::Deadline deadline);
    // The two halves of `receive_more`, for a caller that waits in its own loop and keeps this
    // alive.
    [[nodiscard]] boost::asio::awaitable<resilience::WakeReason> wait_for_news(
        resilience::Deadline deadline);
    /// Like `receive_more`; nothing if another wait is needed. `known_bytes` were unread before.
    [[nodiscard]] std::optional<NetResult<bool>> received(std::size_t known_bytes,
                                                          resilience::WakeReason reason);

    /// Notifies the listener once; never before this returns. The connection owns it until then.
    /// Requires a plain connection that has not ended.
    void notify(std::shared_ptr<NewsListener> listener);

    /// Returns whether another request can follow: everything has been written and read.
    [[nodiscard]] bool is_clean() const noexcept;
    void start_idling(IdleOwner& owner, resilience::TimePoint now);
    void stop_idling() noexcept { idle_owner_ = nullptr; }
    [[nodiscard]] resilience::TimePoint idle_since() const noexcept { return idle_since_; }

    /// Ends all operations and frees the slot.
    void close();

private:
    void on_handshake(const boost::system::error_code& error) override;
    std::span<char> read_buffer() override;
    void on_read(const boost::system::error_code& error, std::size_t size_bytes) override;
    void on_written(const boost::system::error_code& error) override;
    void on_writable() override;
    void on_poller_gone() override { listener_.reset(); }

    void start_secure_write(std::string body);
    void start_read();

    const OwningLoop loop_;
    PolledSocket socket_;             // closed for secure connections
    std::unique_ptr<TlsStream> tls_;  // empty for plain connections
    ConnectionSlot slot_;
    resilience::OneShot news_;
    std::shared_ptr<NewsListener> listener_;  // shared with nobody else while it waits

    std::string outgoing_head_;
    std::string outgoing_body_;
    std::size_t written_bytes_ = 0;              // of head and body
    const std::shared_ptr<SpareBuffers> spare_;  // shared with the pool, which may end first
    InputBuffer input_;
    std::size_t read_size_bytes_;  // size of the next read
    std::optional<boost::system::error_code> read_error_;
    std::optional<boost::system::error_code> handshake_;
    bool is_reading_ = false;
    bool is_writing_ = false;  // stays set after a failure

    IdleOwner* idle_owner_ = nullptr;
    resilience::TimePoint idle_since_;
};

}  // namespace holdfast::net
