#include "end_to_end/gateway_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <string_view>
#include <utility>

namespace holdfast::test {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(std::vector<std::string> variables) {
    const std::size_t count = variables.size();
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const std::string name = text.substr(0, text.find('=') + 1);
        const auto end = variables.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::none_of(variables.begin(), end,
                         [&name](const std::string& own) { return own.starts_with(name); })) {
            variables.push_back(text);
        }
    }
    return variables;
}

bool connect_to(int socket, std::uint16_t port) {
    const timeval limit{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

std::string all_from(int fd) {
    std::string text;
    std::array<char, 4096> bytes{};
    ssize_t count = 0;
    while ((count = ::read(fd, bytes.data(), bytes.size())) > 0) {
        text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return count == 0 ? text : std::string{};
}

}  // namespace

GatewayProcess::GatewayProcess(const std::string& binary, const std::string& config_file,
                               std::vector<std::string> variables) {
    std::vector<std::string> arguments{binary,      "serve",  "--config",
                                       config_file, "--http", "127.0.0.1:0"};
    auto environment = environment_with(std::move(variables));
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return;
    }
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (::posix_spawn(&pid_, binary.c_str(), &actions, nullptr, pointers_to(arguments).data(),
                      pointers_to(environment).data()) != 0) {
        pid_ = -1;
    }
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    errors_ = ends[0];
    port_ = announced_port();
}

GatewayProcess::~GatewayProcess() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(errors_);
}

std::uint16_t GatewayProcess::announced_port() const {
    constexpr std::string_view kMark = "listening on http://127.0.0.1:";
    constexpr int kMilliseconds = 20'000;
    std::string text;
    std::size_t mark = std::string::npos;
    while (mark == std::string::npos || text.find("/mcp\n", mark) == std::string::npos) {
        pollfd ready{.fd = errors_, .events = POLLIN, .revents = 0};
        std::array<char, 512> bytes{};
        const ssize_t count =
            ::poll(&ready, 1, kMilliseconds) > 0 ? ::read(errors_, bytes.data(), bytes.size()) : 0;
        if (count <= 0) {
            return 0;
        }
        text.append(bytes.data(), static_cast<std::size_t>(count));
        mark = text.find(kMark);
    }
    std::uint16_t port = 0;
    std::from_chars(text.data() + mark + kMark.size(), text.data() + text.size(), port);
    return port;
}

std::string GatewayProcess::post(const std::string& message, const std::string& headers) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string request = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
                                "\r\nConnection: close\r\nContent-Type: application/json\r\n"
                                "Accept: application/json, text/event-stream\r\n" +
                                headers + "Content-Length: " + std::to_string(message.size()) +
                                "\r\n\r\n" + message;
    std::string response;
    if (connect_to(socket, port_) && ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) ==
                                         static_cast<ssize_t>(request.size())) {
        response = all_from(socket);
    }
    ::close(socket);
    return response;
}

int GatewayProcess::stop() {
    int status = 0;
    ::kill(pid_, SIGTERM);
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace holdfast::test
