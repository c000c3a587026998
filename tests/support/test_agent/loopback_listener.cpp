#include "support/test_agent/loopback_listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace holdfast::test {

LoopbackListener::LoopbackListener(std::uint16_t port, int backlog)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, general, size) != 0 || ::listen(socket_, backlog) != 0 ||
        ::getsockname(socket_, general, &size) != 0) {
        close();
        return;
    }
    port_ = ntohs(address.sin_port);
}

ByteStream LoopbackListener::accept(std::chrono::milliseconds limit) const {
    if (socket_ < 0 || !is_readable(socket_, limit)) {
        return {-1, -1};
    }
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    return {connection, connection};
}

void LoopbackListener::close() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
    socket_ = -1;
}

std::string http_request_from(const ByteStream& stream) {
    constexpr std::string_view kLength = "content-length: ";
    std::string text;
    while (stream.read_into(text)) {
        const std::size_t end = text.find("\r\n\r\n");
        if (end == std::string::npos) {
            continue;
        }
        std::string head = text.substr(0, end + 2);
        for (char& letter : head) {
            letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
        }
        const std::size_t length = head.find(kLength);
        const std::size_t body =
            length == std::string::npos
                ? 0
                : std::strtoul(head.c_str() + length + kLength.size(), nullptr, 10);
        if (text.size() >= end + 4 + body) {
            return text;
        }
    }
    return {};
}

}  // namespace holdfast::test
