#include "support/test_agent/byte_stream.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace holdfast::test {
namespace {

bool is_ready(int descriptor, short events, std::chrono::milliseconds limit) {
    pollfd ready{.fd = descriptor, .events = events, .revents = 0};
    return ::poll(&ready, 1, static_cast<int>(limit.count())) > 0;
}

}  // namespace

bool is_readable(int descriptor, std::chrono::milliseconds limit) {
    return is_ready(descriptor, POLLIN, limit);
}

ByteStream ByteStream::connected_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        ::close(socket);
        return {-1, -1};
    }
    return {socket, socket};
}

ByteStream::ByteStream(ByteStream&& other) noexcept
    : input_(std::exchange(other.input_, -1)), output_(std::exchange(other.output_, -1)) {}

ByteStream& ByteStream::operator=(ByteStream&& other) noexcept {
    close();
    input_ = std::exchange(other.input_, -1);
    output_ = std::exchange(other.output_, -1);
    return *this;
}

bool ByteStream::write(std::string_view bytes) const {
    while (!bytes.empty()) {
        if (!is_ready(output_, POLLOUT, kPatience)) {
            return false;
        }
        ssize_t count = ::send(output_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == ENOTSOCK) {
            count = ::write(output_, bytes.data(), bytes.size());
        }
        if (count < 0 && errno != EAGAIN) {
            return false;
        }
        bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    return true;
}

bool ByteStream::read_into(std::string& buffer, std::chrono::milliseconds limit) const {
    static thread_local std::array<char, 262'144> bytes;
    if (input_ < 0 || !is_readable(input_, limit)) {
        return false;
    }
    const ssize_t count = ::read(input_, bytes.data(), bytes.size());
    if (count <= 0) {
        return false;
    }
    buffer.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
}

void ByteStream::close_output() {
    if (output_ >= 0 && output_ != input_) {
        ::close(output_);
    } else if (output_ >= 0) {
        ::shutdown(output_, SHUT_WR);
    }
    output_ = -1;
}

void ByteStream::close() {
    if (output_ >= 0 && output_ != input_) {
        ::close(output_);
    }
    if (input_ >= 0) {
        ::close(input_);
    }
    input_ = -1;
    output_ = -1;
}

}  // namespace holdfast::test
