#include "process/socket_message.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace holdfast::process {
namespace {

// Space for the longest message and the bookkeeping of the kernel, even if the default is small.
constexpr int kSendBufferBytes = 200 * 1024;

struct ControlBlock {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxPassedFds)> bytes{};
};

void take_fds(msghdr& header, ReceivedMessage& message) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr;
         part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t index = 0; index < count; ++index) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(part) + index * sizeof(int), sizeof(int));
            platform::UniqueFd owned{fd};
            if (message.fd_count < message.fds.size()) {
                message.fds[message.fd_count++] = std::move(owned);
            }
        }
    }
}

}  // namespace

int send_message(int socket, std::span<const char> bytes, std::span<const int> fds) {
    iovec block{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
    msghdr header{};
    header.msg_iov = &block;
    header.msg_iovlen = 1;
    ControlBlock control;
    if (!fds.empty() && fds.size() <= kMaxPassedFds) {
        header.msg_control = control.bytes.data();
        header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
        cmsghdr* part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
        std::memcpy(CMSG_DATA(part), fds.data(), sizeof(int) * fds.size());
    }
    while (::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) == -1) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

ReceivedMessage receive_message(int socket, std::span<char> buffer) {
    ReceivedMessage message;
    iovec block{.iov_base = buffer.data(), .iov_len = buffer.size()};
    ControlBlock control;
    msghdr header{};
    header.msg_iov = &block;
    header.msg_iovlen = 1;
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
    ssize_t size_bytes = -1;
    do {
        size_bytes = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        // A peer that closes with unread messages resets the connection. The error is reported
        // once, before the last messages of the peer, which can still be read.
    } while (size_bytes == -1 && (errno == EINTR || errno == ECONNRESET));
    if (size_bytes == -1 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        message.outcome = ReceiveOutcome::would_block;
        return message;
    }
    if (size_bytes <= 0) {
        return message;
    }
    take_fds(header, message);
    message.outcome = ReceiveOutcome::message;
    message.size_bytes = static_cast<std::size_t>(size_bytes);
    if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        ReceivedMessage nothing;
        nothing.outcome = ReceiveOutcome::message;
        return nothing;
    }
    return message;
}

std::pair<platform::UniqueFd, platform::UniqueFd> make_message_pair(int& error) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) ==
        -1) {
        error = errno;
        return {};
    }
    error = 0;
    for (const int end : ends) {
        // A smaller buffer shows as a refused message, not as a damaged one.
        ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof(kSendBufferBytes));
    }
    return {platform::UniqueFd{ends[0]}, platform::UniqueFd{ends[1]}};
}

}  // namespace holdfast::process
