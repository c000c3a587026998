#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "platform/unique_fd.hpp"

namespace holdfast::net {

class SocketPoller;

/// Receives the events of a socket. It is kept alive while it waits for them.
class SocketEvents {
public:
    SocketEvents() = default;
    SocketEvents(const SocketEvents&) = delete;
    SocketEvents& operator=(const SocketEvents&) = delete;
    virtual ~SocketEvents() = default;

    /// Returns the space to read into: not empty, and valid until `on_read`.
    [[nodiscard]] virtual std::span<char> read_buffer() = 0;
    /// `asio::error::eof` at the orderly end.
    virtual void on_read(const boost::system::error_code& error, std::size_t size_bytes) = 0;
    virtual void on_writable() = 0;
    /// The loop ends while this waits for an event, and releases it: nothing follows. It must
    /// release what owns it in turn.
    virtual void on_poller_gone() {}
};

/// A connected socket that its loop reads without Asio; see `SocketPoller`.
///
/// Thread-safety: none; belongs to its loop.
class PolledSocket final {
public:
    /// Takes the socket from Asio. It must be non-blocking.
    explicit PolledSocket(boost::asio::ip::tcp::socket socket);
    PolledSocket(const PolledSocket&) = delete;
    PolledSocket& operator=(const PolledSocket&) = delete;
    ~PolledSocket();

    [[nodiscard]] bool is_open() const noexcept { return fd_.is_open(); }
    /// To ask the system about it. Negative if it is closed.
    [[nodiscard]] int native_handle() const noexcept { return fd_.get(); }

    /// One read at a time. Requests a buffer only when there is something to read, so that waiting
    /// sockets need none. It never completes before this returns, and never after `close`.
    void start_read(std::shared_ptr<SocketEvents> events);
    /// Ends an outstanding read without `on_read`. Bytes that have arrived stay in the socket. The
    /// caller must keep the reader alive.
    void stop_read() noexcept { reader_.reset(); }
    /// Writes what the system accepts immediately, possibly nothing (`would_block`). Unless it
    /// accepts everything, `wait_for_writing` can be used.
    [[nodiscard]] std::size_t write_some(std::string_view bytes, boost::system::error_code& error);
    /// The same for up to `kMaxPieces`, one after another.
    [[nodiscard]] std::size_t write_some(std::span<const std::string_view> pieces,
                                         boost::system::error_code& error);
    /// Calls `on_writable` once when the loop has processed what is ready. A peer that waits for
    /// several messages is then woken once for all of them; waking is the most expensive part of a
    /// short one.
    void write_at_turn_end(std::shared_ptr<SocketEvents> events);
    /// Calls `on_writable` once when more can be written, or when writing has become impossible.
    /// Requires that less was accepted than offered: epoll reports only that change.
    void wait_for_writing(std::shared_ptr<SocketEvents> events);

    /// Whether bytes have arrived that nobody has read. Asks the system.
    [[nodiscard]] bool has_input() const;
    /// Whether the peer's system has confirmed everything that was written. Asks the system.
    [[nodiscard]] bool is_flushed() const;

    /// The peer reads the end after what was written.
    void end_writing(boost::system::error_code& error);
    void close();
    /// Returns the socket to Asio; this one is then closed.
    [[nodiscard]] boost::asio::ip::tcp::socket to_asio();

    static constexpr std::size_t kMaxPieces = 3;

private:
    friend class SocketPoller;

    void on_events(std::uint32_t events);
    void read();
    /// Moves waiting owners to `owners` without notifying them.
    void give_up(std::vector<std::shared_ptr<SocketEvents>>& owners);
    void release_owners();

    SocketPoller& poller_;
    platform::UniqueFd fd_;
    std::shared_ptr<SocketEvents> reader_;
    std::shared_ptr<SocketEvents> writer_;
    bool is_readable_ = false;  // there may be something to read
    bool peer_closed_ = false;  // peer closed or socket failed; reads no longer block
    bool is_writing_watched_ = false;
    int fault_ = 0;  // errno if the socket cannot be polled
};

}  // namespace holdfast::net
