#include "proxy/http_agent.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include "proxy/child.hpp"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerWait = 20s;

constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{})";
constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr std::string_view kInitialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

std::string post(const std::string& headers, std::string_view body) {
    std::string text =
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n";
    text.append(headers).append("Content-Length: ");
    text.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
    return text;
}

}  // namespace

std::string call_text(const Target& target, std::uint64_t id) {
    std::string body = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                       R"(,"method":"tools/call","params":{"name":")" + target.tool +
                       R"(","arguments":)" + target.arguments;
    if (target.era == Era::modern) {
        body.append(",").append(kModernMeta).append(target.more_meta).append("}");
    }
    return body + "}}";
}

HttpAgent::HttpAgent(std::string name, Target target)
    : name_(std::move(name)), target_(std::move(target)) {
    headers_ = target_.era == Era::modern
                   ? "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
                         target_.tool + "\r\n"
                   : "MCP-Protocol-Version: 2025-06-18\r\n";
}

HttpAgent::~HttpAgent() {
    hang_up();
}

void HttpAgent::connect() {
    hang_up();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(target_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval wait{.tv_sec = std::chrono::seconds{kAnswerWait}.count(), .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail(name_ + ": cannot connect");
    }
    if (target_.era == Era::legacy && !has_session_) {
        open_session();
    }
}

void HttpAgent::ask() {
    const std::string body = call_text(target_, ++id_);
    asked_at_ = std::chrono::steady_clock::now();
    send(post(headers_, body));
}

bool HttpAgent::receive_any() {
    std::array<char, 16'384> buffer{};
    const auto size = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (size <= 0) {
        fail(name_ + ": the connection was lost during a call");
    }
    answer_.append({buffer.data(), static_cast<std::size_t>(size)});
    return answer_.is_complete();
}

bool HttpAgent::receive() {
    if (!receive_any()) {
        return false;
    }
    if (!is_right()) {
        fail(name_ + ": a wrong answer to request " + std::to_string(id_) + ":\n" +
             answer_.bytes());
    }
    return true;
}

bool HttpAgent::try_once() {
    ask();
    while (!receive_any()) {
    }
    return is_right();
}

bool HttpAgent::is_right() const {
    return answer_.has_status("200") && answer_.has_result(id_) &&
           (id_ == 0 || answer_.bytes().find(target_.expected) != std::string::npos);
}

void HttpAgent::hang_up() {
    if (socket_ >= 0) {
        ::close(std::exchange(socket_, -1));
    }
}

void HttpAgent::send(const std::string& text) {
    answer_.clear();
    if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(text.size())) {
        fail(name_ + ": cannot send");
    }
}

void HttpAgent::open_session() {
    send(post({}, kInitialize));
    while (!receive()) {
    }
    if (const auto session = answer_.header("mcp-session-id")) {
        headers_ += "Mcp-Session-Id: " + *session + "\r\n";
    }
    has_session_ = true;
    send(post(headers_, kInitialized));
    while (!receive_any()) {
    }
}

}  // namespace holdfast::bench
