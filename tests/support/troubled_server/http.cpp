#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "support/troubled_server/serving.hpp"

namespace holdfast::troubled {
namespace {

constexpr std::chrono::milliseconds kPause{1};

class HttpWay final : public ReplyPath {
public:
    explicit HttpWay(int socket) : socket_(socket) {}

    void send(std::string_view message) override { write(response(200, "", message)); }
    void send_junk() override { write(response(200, "", "this is not JSON")); }
    void send_half(std::string_view message) override {
        const std::string whole = response(200, "", message);
        write(std::string_view{whole}.substr(0, whole.size() - message.size() / 2));
    }
    void trickle(std::string_view message) override {
        const std::string whole = response(200, "", message);
        for (const char one : whole) {
            write({&one, 1});
            std::this_thread::sleep_for(kPause);
        }
    }
    void send_status(int status, std::string_view retry_after, std::string_view text) override {
        const std::string line =
            retry_after.empty() ? "" : "Retry-After: " + std::string{retry_after} + "\r\n";
        write(response(status, line, text));
    }
    void close() override { ::shutdown(socket_, SHUT_RDWR); }

private:
    static std::string response(int status, const std::string& headers, std::string_view body) {
        return "HTTP/1.1 " + std::to_string(status) + " Any\r\nContent-Type: application/json\r\n" +
               headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               std::string{body};
    }
    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    const int socket_;
};

/// Returns the length in a head of lower-case letters.
std::size_t length_in(const std::string& head) {
    constexpr std::string_view kName = "content-length:";
    const std::size_t at = head.find(kName);
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + kName.size()));
}

/// The next request on a connection; nothing at its end.
struct Request {
    bool is_post = false;
    std::string body = {};
};
std::optional<Request> next_request(int socket, std::string& pending) {
    std::array<char, 4'096> part{};
    while (true) {
        const std::size_t head_end = pending.find("\r\n\r\n");
        if (head_end != std::string::npos) {
            std::string head = pending.substr(0, head_end);
            std::ranges::transform(head, head.begin(), [](char one) {
                return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
            });
            const std::size_t size_bytes = head_end + 4 + length_in(head);
            if (pending.size() >= size_bytes) {
                Request request{.is_post = head.starts_with("post"),
                                .body = pending.substr(head_end + 4, size_bytes - head_end - 4)};
                pending.erase(0, size_bytes);
                return request;
            }
        }
        const ssize_t count = ::recv(socket, part.data(), part.size(), 0);
        if (count <= 0) {
            return std::nullopt;
        }
        pending.append(part.data(), static_cast<std::size_t>(count));
    }
}

void serve_connection(Script& script, int socket) {
    std::string pending;
    while (const auto request = next_request(socket, pending)) {
        HttpWay way{socket};
        if (!request->is_post) {
            way.send_status(405, "", "");
            continue;
        }
        const bool is_answered = request->body.find("\"id\"") != std::string::npos;
        serve_message(script, request->body, way);
        if (!is_answered) {
            way.send_status(202, "", "");
        }
    }
    ::close(socket);
}

}  // namespace

void serve_http(Script& script) {
    const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size_bytes = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listening, plain, size_bytes) != 0 || ::listen(listening, SOMAXCONN) != 0 ||
        ::getsockname(listening, plain, &size_bytes) != 0) {
        std::_Exit(2);
    }
    std::cerr << "troubled: listening on http://127.0.0.1:" << ntohs(address.sin_port) << "/mcp\n"
              << std::flush;
    while (true) {
        const int socket = ::accept(listening, nullptr, nullptr);
        if (socket >= 0) {
            std::thread{[&script, socket] { serve_connection(script, socket); }}.detach();
        }
    }
}

}  // namespace holdfast::troubled
