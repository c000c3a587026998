#include "net/reactor/polled_socket.hpp"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <tuple>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "net/reactor/socket_poller.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;

constexpr std::uint32_t kEnding = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

Error error_of(int code) {
    return {code, boost::system::system_category()};
}

// The functions of the C library are cancellation points for threads. We never cancel threads, and
// the check costs a hundredth of a short call.
ssize_t received(int fd, std::span<char> buffer) {
    return ::syscall(SYS_recvfrom, fd, buffer.data(), buffer.size(), 0, nullptr, nullptr);
}

ssize_t sent(int fd, std::string_view bytes) {
    return ::syscall(SYS_sendto, fd, bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0);
}

// Converts the result of a system call to a size and an error.
std::size_t written(ssize_t result, Error& error) {
    error = result < 0 ? error_of(errno) : Error{};
    return static_cast<std::size_t>(std::max<ssize_t>(result, 0));
}

}  // namespace

PolledSocket::PolledSocket(asio::ip::tcp::socket socket)
    : poller_(SocketPoller::of(socket.get_executor())) {
    Error error;
    fd_.reset(socket.release(error));
    fault_ = error ? error.value() : poller_.add(*this, fd_.get());
}

// NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
PolledSocket::~PolledSocket() {
    close();
}

void PolledSocket::start_read(std::shared_ptr<SocketEvents> events) {
    HOLDFAST_EXPECT(!reader_);
    reader_ = std::move(events);
    if (is_readable_ || fault_ != 0) {
        poller_.read_later(*this);
    }
}

void PolledSocket::on_events(std::uint32_t events) {
    is_readable_ = is_readable_ || (events & (EPOLLIN | kEnding)) != 0;
    peer_closed_ = peer_closed_ || (events & kEnding) != 0;
    // Keeps this alive if there is something to report after the read.
    const auto writer =
        (events & (EPOLLOUT | kEnding)) != 0 ? std::exchange(writer_, nullptr) : nullptr;
    if (reader_ && is_readable_) {
        read();
    }
    if (writer) {
        writer->on_writable();
    }
}

void PolledSocket::read() {
    if (fault_ != 0) {
        std::exchange(reader_, nullptr)->on_read(error_of(fault_), 0);
        return;
    }
    const std::span<char> buffer = reader_->read_buffer();
    HOLDFAST_EXPECT(!buffer.empty());
    ssize_t result = 0;
    do {
        result = received(fd_.get(), buffer);
    } while (result < 0 && errno == EINTR);
    const Error error = result == 0  ? Error{asio::error::eof}
                        : result < 0 ? error_of(errno)
                                     : Error{};
    // A short read: nothing is left, and epoll will report new bytes.
    is_readable_ = peer_closed_ || result == static_cast<ssize_t>(buffer.size());
    if (error != asio::error::would_block) {
        const auto reader = std::exchange(reader_, nullptr);
        const auto size_bytes = static_cast<std::size_t>(std::max<ssize_t>(result, 0));
        poller_.on_bytes(size_bytes);
        reader->on_read(error, size_bytes);
    }
}

std::size_t PolledSocket::write_some(std::string_view bytes, Error& error) {
    return written(sent(fd_.get(), bytes), error);
}

std::size_t PolledSocket::write_some(std::span<const std::string_view> pieces, Error& error) {
    HOLDFAST_EXPECT(pieces.size() <= kMaxPieces);
    std::array<iovec, kMaxPieces> parts{};
    std::ranges::transform(pieces, parts.begin(), [](std::string_view piece) {
        return iovec{.iov_base = const_cast<char*>(piece.data()), .iov_len = piece.size()};
    });
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = pieces.size();
    return written(::sendmsg(fd_.get(), &message, MSG_NOSIGNAL), error);
}

void PolledSocket::write_at_turn_end(std::shared_ptr<SocketEvents> events) {
    poller_.write_at_turn_end(std::move(events));
}

void PolledSocket::wait_for_writing(std::shared_ptr<SocketEvents> events) {
    HOLDFAST_EXPECT(!writer_);
    writer_ = std::move(events);
    if (is_writing_watched_ || fault_ != 0) {
        return;
    }
    fault_ = poller_.add_writing(*this, fd_.get());
    is_writing_watched_ = fault_ == 0;
    if (fault_ != 0 && reader_) {
        poller_.read_later(*this);  // the reader is notified
    }
}

bool PolledSocket::has_input() const {
    int size_bytes = 0;
    return fd_.is_open() && ::ioctl(fd_.get(), FIONREAD, &size_bytes) == 0 && size_bytes > 0;
}

bool PolledSocket::is_flushed() const {
    int size_bytes = 0;
    return !fd_.is_open() || ::ioctl(fd_.get(), SIOCOUTQ, &size_bytes) != 0 || size_bytes == 0;
}

void PolledSocket::end_writing(Error& error) {
    error = ::shutdown(fd_.get(), SHUT_WR) == 0 ? Error{} : error_of(errno);
}

void PolledSocket::close() {
    if (fd_.is_open()) {
        poller_.remove(*this, fd_.get());
        fd_.reset();
    }
    release_owners();
}

asio::ip::tcp::socket PolledSocket::to_asio() {
    HOLDFAST_EXPECT(!reader_);
    HOLDFAST_EXPECT(!writer_);
    asio::ip::tcp::socket socket{poller_.executor()};
    if (!fd_.is_open()) {
        return socket;
    }
    poller_.remove(*this, fd_.get());
    int family = 0;
    socklen_t size_bytes = sizeof(family);
    std::ignore = ::getsockopt(fd_.get(), SOL_SOCKET, SO_DOMAIN, &family, &size_bytes);
    Error error;
    std::ignore = socket.assign(family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(),
                                fd_.get(), error);
    if (error) {
        fd_.reset();
    } else {
        std::ignore = fd_.release();  // Asio owns it now
        std::ignore = socket.non_blocking(true, error);
    }
    return socket;
}

void PolledSocket::give_up(std::vector<std::shared_ptr<SocketEvents>>& owners) {
    owners.push_back(std::move(reader_));
    owners.push_back(std::move(writer_));
}

// Posts the destruction: nothing else may keep the caller alive.
void PolledSocket::release_owners() {
    if (reader_ || writer_) {
        asio::post(poller_.executor(),
                   [reader = std::move(reader_), writer = std::move(writer_)] {});
    }
}

}  // namespace holdfast::net
