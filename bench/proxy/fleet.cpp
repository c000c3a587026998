#include "proxy/fleet.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "proxy/answer_text.hpp"
#include "proxy/child.hpp"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAnswerWait = 20s;
constexpr auto kPause = 20ms;
constexpr std::size_t kMaxEvents = 64;

constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";
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

/// One connection and its session.
class Fleet::Agent final {
public:
    Agent(const std::string& fleet, const Target& target) : fleet_(fleet), target_(target) {
        headers_ =
            target.era == Era::modern
                ? "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
                      target.tool + "\r\n"
                : "MCP-Protocol-Version: 2025-06-18\r\n";
    }
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;
    ~Agent() { hang_up(); }

    [[nodiscard]] int socket() const noexcept { return socket_; }
    [[nodiscard]] Clock::time_point asked_at() const noexcept { return asked_at_; }

    void connect() {
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
            fail(fleet_ + ": cannot connect");
        }
        if (target_.era == Era::legacy && !has_session_) {
            open_session();
        }
    }

    void ask() {
        const std::string id = std::to_string(++id_);
        std::string body = R"({"jsonrpc":"2.0","id":)" + id +
                           R"(,"method":"tools/call","params":{"name":")" + target_.tool +
                           R"(","arguments":{"text":"hello"})";
        if (target_.era == Era::modern) {
            body.append(",").append(kModernMeta);
        }
        body += "}}";
        asked_at_ = Clock::now();
        send(post(headers_, body));
    }

    /// Takes what has come; true when that completes a right answer.
    [[nodiscard]] bool receive() {
        if (!receive_some()) {
            return false;
        }
        if (!is_right()) {
            fail(fleet_ + ": a wrong answer to request " + std::to_string(id_) + ":\n" +
                 answer_.bytes());
        }
        return true;
    }

    /// Asks once, whatever comes back; true for a right answer.
    [[nodiscard]] bool try_once() {
        ask();
        while (!receive_some()) {
        }
        return is_right();
    }

private:
    /// True when the answer is complete.
    bool receive_some() {
        std::array<char, 16'384> buffer{};
        const auto size = ::recv(socket_, buffer.data(), buffer.size(), 0);
        if (size <= 0) {
            fail(fleet_ + ": the connection was lost in the middle of a call");
        }
        answer_.append({buffer.data(), static_cast<std::size_t>(size)});
        return answer_.is_complete();
    }

    [[nodiscard]] bool is_right() const {
        return answer_.has_status("200") && answer_.has_result(id_);
    }

    void hang_up() {
        if (socket_ >= 0) {
            ::close(std::exchange(socket_, -1));
        }
    }

    void send(const std::string& text) {
        answer_.clear();
        if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(text.size())) {
            fail(fleet_ + ": cannot send");
        }
    }

    void open_session() {
        send(post({}, kInitialize));
        while (!receive()) {
        }
        if (const auto session = answer_.header("mcp-session-id")) {
            headers_ += "Mcp-Session-Id: " + *session + "\r\n";
        }
        has_session_ = true;
        send(post(headers_, kInitialized));
        while (!receive_some()) {
        }
    }

    const std::string& fleet_;
    const Target& target_;
    std::string headers_;
    AnswerText answer_;
    Clock::time_point asked_at_;
    std::uint64_t id_ = 0;
    int socket_ = -1;
    bool has_session_ = false;
};

Fleet::Fleet(std::string name, Target target, std::size_t connections)
    : name_(std::move(name)), target_(std::move(target)) {
    agents_.reserve(connections);
    for (std::size_t index = 0; index < connections; ++index) {
        agents_.push_back(std::make_unique<Agent>(name_, target_));
    }
}

Fleet::~Fleet() = default;

void Fleet::connect() {
    for (const auto& agent : agents_) {
        agent->connect();
    }
}

LoadResult Fleet::run(std::chrono::nanoseconds duration) {
    const Clock::time_point begin = Clock::now();
    std::vector<std::chrono::nanoseconds> latencies = call_until(begin + duration);
    LoadResult result{.requests = latencies.size(), .time = Clock::now() - begin};
    const auto at = [&latencies](double share) {
        const auto place =
            latencies.begin() +
            static_cast<std::ptrdiff_t>(static_cast<double>(latencies.size() - 1) * share);
        std::ranges::nth_element(latencies, place);
        return *place;
    };
    result.median = at(0.5);
    result.p99 = at(0.99);
    return result;
}

void Fleet::wait_until_served() {
    Agent& agent = *agents_.front();
    agent.connect();
    const Clock::time_point end = Clock::now() + kAnswerWait;
    while (!agent.try_once()) {
        if (Clock::now() > end) {
            fail(name_ + ": the tool is not there");
        }
        std::this_thread::sleep_for(kPause);
    }
}

void Fleet::call_in_turn() {
    for (const auto& agent : agents_) {
        agent->connect();
        agent->ask();
        while (!agent->receive()) {
        }
    }
}

std::vector<std::chrono::nanoseconds> Fleet::call_until(Clock::time_point end) {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    for (const auto& agent : agents_) {
        epoll_event event{.events = EPOLLIN, .data = {.ptr = agent.get()}};
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, agent->socket(), &event);
        agent->ask();
    }
    std::vector<std::chrono::nanoseconds> latencies;
    std::size_t asking = agents_.size();
    std::array<epoll_event, kMaxEvents> events{};
    while (asking > 0) {
        const int count = ::epoll_wait(epoll, events.data(), kMaxEvents,
                                       std::chrono::milliseconds{kAnswerWait}.count());
        if (count <= 0) {
            fail(name_ + ": no answer came in time");
        }
        for (const epoll_event& event : std::span{events}.first(static_cast<std::size_t>(count))) {
            auto* agent = static_cast<Agent*>(event.data.ptr);
            if (!agent->receive()) {
                continue;
            }
            const Clock::time_point now = Clock::now();
            latencies.push_back(now - agent->asked_at());
            if (now < end) {
                agent->ask();
            } else {
                --asking;
            }
        }
    }
    ::close(epoll);
    return latencies;
}

}  // namespace holdfast::bench
