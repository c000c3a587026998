#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>

namespace holdfast::net {

/// Waits until a descriptor is ready, without making it non-blocking as Asio would: that is a
/// property of the open file, which other processes may share. Instead, Asio watches our own epoll
/// set that contains the descriptor. Regular files cannot be in such a set; they are always ready.
///
/// Thread-safety: none; belongs to its loop.
class ReadinessWatch final {
public:
    explicit ReadinessWatch(const boost::asio::any_io_executor& executor) : set_(executor) {}

    /// `events` are those of epoll. Returns 0 or the errno.
    [[nodiscard]] int open(int fd, std::uint32_t events);
    [[nodiscard]] bool is_open() const { return is_file_ || set_.is_open(); }
    /// Ends a pending wait.
    void close();

    /// Waits until the descriptor may be ready, or until `close`. Always yields to the loop first.
    /// The caller keeps this alive.
    [[nodiscard]] boost::asio::awaitable<void> wait();

private:
    boost::asio::posix::stream_descriptor set_;
    bool is_file_ = false;
};

}  // namespace holdfast::net
