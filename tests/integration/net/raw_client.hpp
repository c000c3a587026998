#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "platform/unique_fd.hpp"

namespace holdfast::net {

/// A raw TCP client: sends bytes as given, and stores what arrives. Never waits.
class RawClient final {
public:
    explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receive_buffer_bytes > 0) {
            ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                         sizeof(receive_buffer_bytes));
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        // A listening socket completes the connection without an accept.
        is_connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address),
                                  sizeof(address)) == 0;
        ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
        const int on = 1;
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }

    /// Returns how much the system accepted.
    std::size_t send(std::string_view bytes) {
        const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        return count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    /// Reads what has arrived; returns true if there was anything.
    bool receive() {
        std::array<char, 65536> bytes{};
        const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        if (count > 0) {
            received_.append(bytes.data(), static_cast<std::size_t>(count));
            return true;
        }
        has_ended_ = has_ended_ || count == 0 || (errno != EAGAIN && errno != EINTR);
        return false;
    }
    void end_sending() { ::shutdown(socket_.get(), SHUT_WR); }
    void close() { socket_.reset(); }
    /// Closes with a reset.
    void abort() {
        const linger now{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        socket_.reset();
    }

    [[nodiscard]] const std::string& received() const { return received_; }
    [[nodiscard]] std::string take_received() { return std::exchange(received_, {}); }
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    [[nodiscard]] bool is_connected() const { return is_connected_; }

private:
    platform::UniqueFd socket_;
    std::string received_;
    bool is_connected_ = false;
    bool has_ended_ = false;
};

}  // namespace holdfast::net
