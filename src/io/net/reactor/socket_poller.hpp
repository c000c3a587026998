#pragma once

#include <sys/epoll.h>

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace holdfast::net {

class PolledSocket;
class SocketEvents;

/// The sockets of one loop that are read without Asio's help. They are in an epoll set of their
/// own, which Asio watches: what is ready at the same time is found by one call of the system,
/// worked off in one turn, and what is to be written is written at the end of it. Asio would try
/// every read once before it waits, which nearly always finds nothing, and knows no end of a turn;
/// see docs/decisions/0022-sockets-in-turns.md.
///
/// Thread-safety: none; belongs to its loop.
class SocketPoller final : public boost::asio::execution_context::service {
public:
    using key_type = SocketPoller;
    static boost::asio::execution_context::id id;

    /// That of the loop, which it lives as long as.
    [[nodiscard]] static SocketPoller& of(const boost::asio::any_io_executor& executor);

    explicit SocketPoller(boost::asio::execution_context& context) : service(context) {}

    /// Tells the socket of all that becomes of its descriptor from now on. Returns 0 or the errno.
    [[nodiscard]] int add(PolledSocket& socket, int fd);
    /// Also tells it when it can be written to; once at least if it can already.
    [[nodiscard]] int add_writing(PolledSocket& socket, int fd);
    /// Never mentions the socket again.
    void remove(PolledSocket& socket, int fd) noexcept;
    /// Tells at the end of the turn that it may write.
    void write_at_turn_end(std::shared_ptr<SocketEvents> events);
    /// So much was read. A turn in which much comes ends sooner: nobody's answer shall wait for the
    /// reading of what others have sent.
    void on_bytes(std::size_t size_bytes) noexcept { turn_bytes_ += size_bytes; }
    /// Lets the socket read in the next turn.
    void read_later(PolledSocket& socket);

    [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept {
        return executor_;
    }

private:
    static constexpr std::size_t kMaxReady = 64;  // then others have their turn
    static constexpr std::size_t kMaxTurnBytes = std::size_t{64} * 1024;

    void shutdown() override;
    [[nodiscard]] int open();
    void watch();
    void on_ready();
    void read_all_later();
    void end_turn();

    boost::asio::any_io_executor executor_;
    std::optional<boost::asio::posix::stream_descriptor> set_;  // once there was a socket
    std::unordered_set<PolledSocket*> sockets_;
    std::vector<PolledSocket*> pending_reads_;  // null for those that are gone
    std::vector<PolledSocket*> being_read_;     // its memory is used again
    std::array<epoll_event, kMaxReady> ready_{};
    std::span<epoll_event> undispatched_;  // of those, during a turn: what is still to be told
    std::vector<std::shared_ptr<SocketEvents>> unwritten_;
    std::vector<std::shared_ptr<SocketEvents>> being_written_;  // its memory is used again
    std::size_t turn_bytes_ = 0;
    bool is_watching_ = false;
    bool is_in_turn_ = false;
    bool is_reading_later_ = false;  // that has been posted
    bool is_shut_ = false;
};

}  // namespace holdfast::net
