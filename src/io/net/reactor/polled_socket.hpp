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

/// Who is told what becomes of a socket. It is kept alive while it waits for that.
class SocketEvents {
public:
    SocketEvents() = default;
    SocketEvents(const SocketEvents&) = delete;
    SocketEvents& operator=(const SocketEvents&) = delete;
    virtual ~SocketEvents() = default;

    /// For what is about to be read: not empty, and it stays where it is until `on_read`.
    [[nodiscard]] virtual std::span<char> read_buffer() = 0;
    /// `asio::error::eof` at the orderly end.
    virtual void on_read(const boost::system::error_code& error, std::size_t size_bytes) = 0;
    virtual void on_writable() = 0;
};

/// A connected socket that its loop reads without Asio's help; see `SocketPoller`.
///
/// Thread-safety: none; belongs to its loop.
class PolledSocket final {
public:
    /// Takes it away from Asio. It must not block.
    explicit PolledSocket(boost::asio::ip::tcp::socket socket);
    PolledSocket(const PolledSocket&) = delete;
    PolledSocket& operator=(const PolledSocket&) = delete;
    ~PolledSocket();

    [[nodiscard]] bool is_open() const noexcept { return fd_.is_open(); }

    /// One read at a time. Room for it is asked for only when there is something to read, so that
    /// those who wait need none. It never ends before this returns, and never at all after `close`.
    void start_read(std::shared_ptr<SocketEvents> events);
    /// What the system takes at once, which may be nothing: `would_block`. Unless it takes all,
    /// there is something to wait for.
    [[nodiscard]] std::size_t write_some(std::string_view bytes, boost::system::error_code& error);
    /// The same for up to `kMaxPieces`, one after the other.
    [[nodiscard]] std::size_t write_some(std::span<const std::string_view> pieces,
                                         boost::system::error_code& error);
    /// Tells once when the loop has worked off what is ready, to write then. Whoever waits for
    /// several messages is woken once for all of them, and waking is the dearest part of a short
    /// one.
    void write_at_turn_end(std::shared_ptr<SocketEvents> events);
    /// Tells once when more can be written, or never will be. Requires that less was taken than
    /// offered: only that change is told.
    void wait_for_writing(std::shared_ptr<SocketEvents> events);

    /// The other side reads the end behind what was written.
    void end_writing(boost::system::error_code& error);
    void close();
    /// Hands it over to Asio again, for those who speak through it; this one is closed then.
    [[nodiscard]] boost::asio::ip::tcp::socket to_asio();

    static constexpr std::size_t kMaxPieces = 3;

private:
    friend class SocketPoller;

    void on_events(std::uint32_t events);
    void read();
    /// Those who wait are not told, but moved to `owners`.
    void give_up(std::vector<std::shared_ptr<SocketEvents>>& owners);
    void let_go();

    SocketPoller& poller_;
    platform::UniqueFd fd_;
    std::shared_ptr<SocketEvents> reader_;
    std::shared_ptr<SocketEvents> writer_;
    bool is_readable_ = false;  // there may be something to read
    bool peer_closed_ = false;  // ... and there will always be
    bool is_writing_told_ = false;
    int fault_ = 0;  // cannot be waited for: the errno
};

}  // namespace holdfast::net
