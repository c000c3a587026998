#include "telemetry/page_reader.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "proxy/answer_text.hpp"
#include "proxy/child.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerWait = 20s;
constexpr auto kEvery = 1s;

/// Sends a request for a path and returns the open socket.
int asked(std::uint16_t port, const std::string& path) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval wait{.tv_sec = std::chrono::seconds{kAnswerWait}.count(), .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request.size())) {
        fail("the status page cannot be reached");
    }
    return socket;
}

}  // namespace

std::string got_from(std::uint16_t port, const std::string& path) {
    const int socket = asked(port, path);
    AnswerText answer;
    std::array<char, 16'384> buffer{};
    while (!answer.is_complete()) {
        const auto size = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (size <= 0) {
            fail("no answer to a GET of " + path);
        }
        answer.append({buffer.data(), static_cast<std::size_t>(size)});
    }
    ::close(socket);
    if (!answer.has_status("200")) {
        fail("a wrong answer to a GET of " + path + ":\n" + answer.bytes());
    }
    return answer.bytes();
}

void PageReader::begin() {
    thread_ = std::jthread{[this](const std::stop_token& stop) {
        // Events are rare, so they may wait in the socket.
        const int events = asked(port_, "/api/events/stream");
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock{mutex};
        do {
            for (const char* path : {"/metrics", "/api/status"}) {
                std::ignore = got_from(port_, path);
            }
            stopped.wait_for(lock, stop, kEvery, [] { return false; });
        } while (!stop.stop_requested());
        ::close(events);
    }};
}

void PageReader::end() {
    thread_.request_stop();
    thread_.join();
}

}  // namespace holdfast::bench
