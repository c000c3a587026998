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

#include "holdfast/resilience/asio/loop_timekeeper.hpp"

namespace holdfast::net {

class PolledSocket;
class SocketEvents;

/// The sockets of one loop that are read without Asio. They are in their own epoll set, which Asio
/// watches. One system call finds all ready sockets; they are processed in one turn, and pending
/// writes follow at its end. Asio would try every read once before it waits, which nearly always
/// finds nothing, and has no end of a turn; see docs/decisions/0022-sockets-in-turns.md.
///
/// Thread-safety: none; belongs to its loop.
class SocketPoller final : public boost::asio::execution_context::service {
public:
    using key_type = SocketPoller;
    static boost::asio::execution_context::id id;

    /// Returns the poller of the loop, which lives as long as the loop.
    [[nodiscard]] static SocketPoller& of(const boost::asio::any_io_executor& executor);

    explicit SocketPoller(boost::asio::execution_context& context) : service(context) {}

    /// Each event of a socket reads this clock at most once. It outlives the loop's last event.
    void use_clock(resilience::LoopTimekeeper& clock) noexcept { clock_ = &clock; }

    /// Reports all events of the descriptor to the socket from now on. Returns 0 or the errno.
    [[nodiscard]] int add(PolledSocket& socket, int fd);
    /// Also reports when it becomes writable; at least once if it already is.
    [[nodiscard]] int add_writing(PolledSocket& socket, int fd);
    /// Ends all reports to the socket.
    void remove(PolledSocket& socket, int fd) noexcept;
    /// Calls `on_writable` at the end of the turn.
    void write_at_turn_end(std::shared_ptr<SocketEvents> events);
    /// Counts bytes that were read. A turn with many bytes ends early, so that pending writes are
    /// not delayed.
    void on_bytes(std::size_t size_bytes) noexcept { turn_bytes_ += size_bytes; }
    /// Lets the socket read in the next turn.
    void read_later(PolledSocket& socket);

    [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept {
        return executor_;
    }

private:
    static constexpr std::size_t kMaxReady = 64;  // then other handlers run
    static constexpr std::size_t kMaxTurnBytes = std::size_t{64} * 1024;

    void shutdown() override;
    [[nodiscard]] int open();
    void watch();
    void on_ready();
    void read_all_later();
    void end_turn();

    boost::asio::any_io_executor executor_;
    resilience::LoopTimekeeper* clock_ = nullptr;
    std::optional<boost::asio::posix::stream_descriptor> set_;  // created with the first socket
    std::unordered_set<PolledSocket*> sockets_;
    std::vector<PolledSocket*> pending_reads_;  // null for removed sockets
    std::vector<PolledSocket*> being_read_;     // kept to reuse its memory
    std::array<epoll_event, kMaxReady> ready_{};
    // events of the current turn that have not been reported yet
    std::span<epoll_event> undispatched_;
    std::vector<std::shared_ptr<SocketEvents>> unwritten_;
    std::vector<std::shared_ptr<SocketEvents>> being_written_;  // kept to reuse its memory
    std::size_t turn_bytes_ = 0;
    bool is_watching_ = false;
    bool is_in_turn_ = false;
    bool is_reading_later_ = false;  // a handler has been posted
    bool is_shut_ = false;
};

}  // namespace holdfast::net
