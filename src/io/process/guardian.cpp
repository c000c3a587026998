#include "process/guardian.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <utility>

#include "process/forbid_inspection.hpp"
#include "process/guardian_loop.hpp"
#include "process/guardian_protocol.hpp"
#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

// Longer than the guardian itself takes at most.
constexpr int kEndWaitMilliseconds = 15'000;

void wait_for_end(pid_t pid) {
    // The header of glibc 2.36 declares pidfd_open() for C only.
    const platform::UniqueFd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
    if (process.is_open()) {
        pollfd polled{.fd = process.get(), .events = POLLIN, .revents = 0};
        while (::poll(&polled, 1, kEndWaitMilliseconds) == -1 && errno == EINTR) {
        }
    }
    ::waitpid(pid, nullptr, WNOHANG);
}

}  // namespace

net::NetResult<Guardian> Guardian::start() {
    int error = 0;
    auto [near_end, far_end] = make_message_pair(error);
    if (error != 0) {
        return net::system_error(net::NetErrc::system_failure, "no socket to the guardian", error);
    }
    const pid_t pid = ::fork();
    if (pid == -1) {
        return net::system_error(net::NetErrc::system_failure, "the guardian was not started",
                                 errno);
    }
    if (pid == 0) {
        near_end.reset();
        run_guardian(std::move(far_end));
    }
    forbid_inspection();
    ::signal(SIGPIPE, SIG_IGN);
    return Guardian{std::move(near_end), pid};
}

Guardian::Guardian(Guardian&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, -1)) {}

Guardian::~Guardian() {
    if (pid_ > 0) {
        socket_.reset();
        wait_for_end(pid_);
    }
}

net::NetResult<void> Guardian::adopt(platform::UniqueFd far_end) const {
    const Frame frame{.kind = FrameKind::adopt};
    std::array<char, sizeof(frame)> bytes{};
    std::memcpy(bytes.data(), &frame, sizeof(frame));
    const int fd = far_end.get();
    switch (const int error = send_message(socket_.get(), bytes, {&fd, 1})) {
        case 0:
            return {};
        case EAGAIN:
        case ETOOMANYREFS:
        case ENOBUFS:
            return net::system_error(net::NetErrc::overloaded, "the guardian is behind", error);
        default:
            return net::system_error(net::NetErrc::closed, "the guardian is gone", error);
    }
}

}  // namespace holdfast::process
