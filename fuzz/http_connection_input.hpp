#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "holdfast/resilience/expect.hpp"
#include "net/http/server/http_connection.hpp"
#include "net/http/server/http_server_exchange.hpp"
#include "net/run_on.hpp"
#include "resilience/tests/support/manual_timekeeper.hpp"

// One connection of the HTTP server as a state machine: a script of bytes, pauses, answers and ends
// drives it over a socket of the kernel, in virtual time. Whatever the script does, the client may
// see only whole answers in the order of its requests, and nothing may be left in the end.

namespace holdfast::fuzz {

/// Reads the numbers of a script; zeroes after its end.
class ScriptReader final {
public:
    explicit ScriptReader(std::string_view script) : rest_(script) {}

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    std::size_t next(std::size_t limit) {
        if (rest_.empty()) {
            return 0;
        }
        const auto value = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return value % limit;
    }
    std::string_view bytes(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }

private:
    std::string_view rest_;
};

/// An answer as the client received it.
struct SeenAnswer {
    int status = 0;
    std::optional<std::size_t> number = {};  ///< Of the request that the handler answered.
    bool is_complete = false;
};

/// Reads all answers of a connection. Anything that is not an answer fails an expectation.
class AnswerReader final {
public:
    /// `is_cut` = the client may have missed the end of the last answer.
    static std::vector<SeenAnswer> read(std::string_view bytes) {
        std::vector<SeenAnswer> answers;
        while (!bytes.empty()) {
            const std::size_t head_end = bytes.find("\r\n\r\n");
            if (head_end == std::string_view::npos) {
                HOLDFAST_EXPECT(std::string_view{"HTTP/1.1 "}.starts_with(bytes.substr(0, 9)));
                answers.push_back({});
                return answers;
            }
            SeenAnswer answer = read_head(bytes.substr(0, head_end + 2));
            const std::string_view head = bytes.substr(0, head_end + 2);
            bytes.remove_prefix(head_end + 4);
            if (answer.status == 101) {
                answer.is_complete = true;
                answers.push_back(answer);
                return answers;  // frames follow
            }
            answer.is_complete = skip_body(head, answer.status, bytes);
            if (answer.status != 100) {
                answers.push_back(answer);
            }
            if (!answer.is_complete) {
                return answers;
            }
        }
        return answers;
    }

private:
    static std::optional<std::string_view> value_of(std::string_view head, std::string_view name) {
        const std::size_t line = head.find("\r\n" + std::string{name} + ": ");
        if (line == std::string_view::npos) {
            return std::nullopt;
        }
        head.remove_prefix(line + name.size() + 4);
        return head.substr(0, head.find("\r\n"));
    }
    static std::size_t number_in(std::string_view text, int base) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(text.begin(), text.end(), number, base);
        HOLDFAST_EXPECT(error == std::errc{});
        HOLDFAST_EXPECT(end == text.end());
        return number;
    }
    static SeenAnswer read_head(std::string_view head) {
        HOLDFAST_EXPECT(head.starts_with("HTTP/1.1 "));
        SeenAnswer answer{.status = static_cast<int>(number_in(head.substr(9, 3), 10))};
        if (const auto number = value_of(head, "X-Number")) {
            answer.number = number_in(*number, 10);
        }
        return answer;
    }
    /// Returns whether the body is complete.
    static bool skip_body(std::string_view head, int status, std::string_view& bytes) {
        if (status < 200 || status == 204 || status == 304 || value_of(head, "X-Head")) {
            return true;
        }
        if (const auto length = value_of(head, "Content-Length")) {
            const std::size_t size_bytes = number_in(*length, 10);
            const bool is_complete = bytes.size() >= size_bytes;
            bytes.remove_prefix(std::min(bytes.size(), size_bytes));
            return is_complete;
        }
        if (!value_of(head, "Transfer-Encoding")) {
            bytes = {};  // up to the end of the connection
            return true;
        }
        while (true) {
            const std::size_t line = bytes.find("\r\n");
            if (line == std::string_view::npos) {
                bytes = {};
                return false;
            }
            const std::size_t size_bytes = number_in(bytes.substr(0, line), 16);
            bytes.remove_prefix(line + 2);
            if (bytes.size() < size_bytes + 2) {
                bytes = {};
                return false;
            }
            HOLDFAST_EXPECT(bytes.substr(size_bytes, 2) == "\r\n");
            bytes.remove_prefix(size_bytes + 2);
            if (size_bytes == 0) {
                return true;
            }
        }
    }
};

/// Answers by the path of the request, or leaves the answer to the script.
class ScriptedHandler final : public net::HttpHandler {
public:
    struct Asked {
        std::shared_ptr<net::HttpExchange> exchange;
        std::size_t number = 0;
    };

    std::optional<net::HttpReply> refused(const net::HttpRequest& request) override {
        HOLDFAST_EXPECT(request.body.empty());
        return request.path == "/no" ? std::optional{net::HttpReply{.status = 403, .body = "no"}}
                                     : std::nullopt;
    }
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override {
        HOLDFAST_EXPECT(!asked.exchange);  // one at a time
        asked = {.exchange = std::move(exchange), .number = ++count};
        const std::string_view path = asked.exchange->request().path;
        if (path == "/now") {
            reply(10);
        } else if (path == "/large") {
            reply(100'000);
        } else if (path == "/stream") {
            start_stream();
        } else if (path == "/drop") {
            drop();
        } else if (path == "/ws") {
            accept_websocket();
        }
    }
    std::string reply_headers(const net::HttpRequest& request) override {
        return request.method == "HEAD" ? "X-Head: yes\r\n" : "";
    }

    void reply(std::size_t size_bytes, int status = 200) {
        if (can_begin()) {
            const Asked answered = take();
            answered.exchange->reply({.status = status,
                                      .headers = headers(answered.number),
                                      .body = std::string(size_bytes, 'b')});
        }
    }
    void start_stream() {
        if (can_begin()) {
            asked.exchange->start_stream(headers(asked.number));
        }
    }
    void send(std::size_t size_bytes, net::Importance importance) {
        if (asked.exchange && asked.exchange->is_streaming()) {
            std::ignore = asked.exchange->send(std::string(size_bytes, 's'), importance);
        }
    }
    void finish() {
        if (asked.exchange && asked.exchange->is_streaming()) {
            take().exchange->finish_stream();
        }
    }
    void drop() {
        has_dropped = has_dropped || asked.exchange;
        std::ignore = take();
    }
    void accept_websocket() {
        if (!can_begin() || !asked.exchange->wants_websocket()) {
            return;
        }
        const auto exchange = take().exchange;
        boost::asio::co_spawn(exchange->loop().executor,
                              accepted(exchange->accept_websocket({.subprotocol = "mcp"}), this),
                              [](const std::exception_ptr& error) { HOLDFAST_EXPECT(!error); });
    }

    Asked asked;
    std::size_t count = 0;
    bool has_dropped = false;
    std::unique_ptr<net::MessageChannel> channel;

private:
    using Accepted = net::NetResult<std::unique_ptr<net::MessageChannel>>;

    static boost::asio::awaitable<void> accepted(boost::asio::awaitable<Accepted> result,
                                                 ScriptedHandler* handler) {
        auto channel = co_await std::move(result);
        if (channel) {
            handler->channel = std::move(*channel);
        }
    }
    static std::string headers(std::size_t number) {
        return "X-Number: " + std::to_string(number) + "\r\n";
    }
    [[nodiscard]] bool can_begin() const {
        return asked.exchange && !asked.exchange->is_streaming();
    }
    Asked take() { return std::exchange(asked, {}); }
};

/// The loop on which all scripts run, one after the other.
class ConnectionLab final {
public:
    ConnectionLab() : work_(boost::asio::make_work_guard(context_)) {
        serving_->options = {.max_header_bytes = 8'192,
                             .max_body_bytes = 5'000,
                             .max_message_bytes = 5'000,
                             .max_stream_bytes = 20'000};
        loop_->loop = {context_.get_executor(), &timekeeper_};
        loop_->serving = serving_;
    }

    /// Plays a script. Returns the answers that the client saw.
    std::vector<SeenAnswer> play(std::string_view script) {
        handler_ = std::make_shared<ScriptedHandler>();
        serving_->handler = handler_;
        received_.clear();
        can_be_cut_ = has_ended_ = is_drained_ = has_waited_ = false;
        ScriptReader reader{script};
        connect(reader.next(4));
        while (!reader.is_at_end()) {
            step(reader);
        }
        return finish();
    }

private:
    static constexpr std::string_view kUpgradeLines =
        "Host: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    static std::string request(std::size_t kind) {
        static constexpr std::array<std::string_view, 8> kPaths{
            "/now", "/later", "/large", "/stream", "/drop", "/ws", "/no", "/later?x=1"};
        const std::string path{kPaths[kind % kPaths.size()]};
        switch (kind / kPaths.size()) {
            case 0:
                return "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n";
            case 1:
                return "GET " + path + " HTTP/1.1\r\n" + std::string{kUpgradeLines};
            case 2:
                return "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
            case 3:
                return "POST " + path +
                       " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "2;a=b\r\nhi\r\n0\r\nX-T: 1\r\n\r\n";
            case 4:
                return "HEAD " + path + " HTTP/1.1\r\nHost: h\r\n\r\n";
            case 5:
                return "GET " + path + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
            case 6:
                return "POST " + path +
                       " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n";
            case 7:
                return "POST " + path +
                       " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            case 8:
                return "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 4999\r\n\r\n" +
                       std::string(4'999, 'y');
            case 9:
                return "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 5001\r\n\r\n";
            case 10:
                return "GET " + path + " HTTP/1.1\r\nHost: h\r\nX: " + std::string(6'000, 'x') +
                       "\r\n\r\n";
            default:
                return path + "\r\n\r\n";
        }
    }
    static constexpr std::size_t kRequestKinds = 12 * 8;

    void connect(std::size_t sizes) {
        std::array<int, 2> ends{};
        HOLDFAST_EXPECT(
            ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
        if (sizes != 0) {
            // Then the system takes a large answer in pieces.
            const int size_bytes = static_cast<int>(sizes) * 4'096;
            std::ignore =
                ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size_bytes, sizeof(size_bytes));
        }
        client_.reset(ends[1]);
        net::HttpConnection::Socket socket{context_};
        boost::system::error_code error;
        std::ignore = socket.assign(boost::asio::ip::tcp::v4(), ends[0], error);
        HOLDFAST_EXPECT(!error);
        serving_->connection_count.fetch_add(1);
        loop_->is_draining = false;
        net::HttpConnection::serve(loop_, std::move(socket), {});
    }

    void step(ScriptReader& script) {
        using namespace std::chrono_literals;
        static constexpr std::array<resilience::Duration, 8> kWaits{1ms, 1s,  3s,   11s,
                                                                    16s, 61s, 130s, 11min};
        static constexpr std::array<std::size_t, 8> kSizes{0,     1,      100,     3'900,
                                                           5'000, 30'000, 100'000, 300'000};
        switch (script.next(16)) {
            case 0:
            case 1:
                send(request(script.next(kRequestKinds)));
                break;
            case 2: {
                const std::string text = request(script.next(kRequestKinds));
                const std::size_t cut = script.next(text.size() + 1);
                send(std::string_view{text}.substr(0, cut));
                run();
                send(std::string_view{text}.substr(cut));
                break;
            }
            case 3:
                send(script.bytes(script.next(64)));
                break;
            case 4:
            case 5:
                run();
                break;
            case 6:
                wait(kWaits[script.next(kWaits.size())]);
                break;
            case 7:
                handler_->reply(kSizes[script.next(kSizes.size())]);
                break;
            case 8:
                handler_->start_stream();
                break;
            case 9: {
                const std::size_t size_bytes = kSizes[script.next(kSizes.size())];
                const auto importance =
                    script.next(2) == 0 ? net::Importance::must_arrive : net::Importance::droppable;
                can_be_cut_ = can_be_cut_ || size_bytes > 5'000;
                handler_->send(size_bytes, importance);
                break;
            }
            case 10:
                handler_->finish();
                break;
            case 11:
                handler_->accept_websocket();
                break;
            case 12:
                receive(kSizes[script.next(kSizes.size())]);
                break;
            case 13:
                switch (script.next(4)) {
                    case 0:
                        handler_->drop();
                        break;
                    case 1:
                        handler_->reply(10, 204);
                        break;
                    case 2:
                        handler_->channel.reset();
                        break;
                    default:
                        if (handler_->channel) {
                            std::ignore = handler_->channel->try_write("{}");
                        }
                        break;
                }
                break;
            case 14:
                receive(std::size_t{1} << 20);
                break;
            default:
                switch (script.next(4)) {
                    case 0:
                        ::shutdown(client_.get(), SHUT_WR);
                        has_ended_ = true;
                        break;
                    case 1:
                        client_.reset();
                        has_ended_ = true;
                        break;
                    case 2:
                        drain();
                        break;
                    default:
                        ::shutdown(client_.get(), SHUT_RD);
                        has_ended_ = true;
                        break;
                }
                break;
        }
    }

    void drain() {
        is_drained_ = loop_->is_draining = true;
        const std::vector<net::HttpConnection*> all{loop_->connections.begin(),
                                                    loop_->connections.end()};
        for (net::HttpConnection* connection : all) {
            connection->drain();
        }
    }
    void send(std::string_view bytes) {
        if (client_.is_open()) {
            std::ignore = ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        }
    }
    /// Returns false if nothing more can arrive now.
    bool receive(std::size_t limit) {
        std::array<char, 16'384> bytes;
        while (client_.is_open() && limit > 0) {
            const ssize_t count =
                ::recv(client_.get(), bytes.data(), std::min(limit, bytes.size()), 0);
            if (count <= 0) {
                has_server_closed_ = count == 0 || (errno != EAGAIN && errno != EINTR);
                return false;
            }
            received_.append(bytes.data(), static_cast<std::size_t>(count));
            limit -= static_cast<std::size_t>(count);
        }
        return client_.is_open();
    }
    void run() {
        while (context_.poll() > 0) {
        }
    }
    void wait(resilience::Duration time) {
        has_waited_ = has_waited_ || time > std::chrono::seconds{1};
        timekeeper_.advance_to(timekeeper_.now() + time);
        run();
    }
    /// Reads all that arrives until nothing happens any more.
    void read_all() {
        std::size_t before = 0;
        do {
            before = received_.size();
            run();
            while (receive(std::size_t{1} << 20)) {
            }
            run();
        } while (received_.size() != before);
    }

    std::vector<SeenAnswer> finish() {
        // The handler answers what it was asked, and the client reads.
        read_all();
        for (int round = 0; handler_->asked.exchange && round < 1'000; ++round) {
            handler_->finish();
            handler_->reply(10);
            read_all();
        }
        HOLDFAST_EXPECT(!handler_->asked.exchange);
        auto answers = AnswerReader::read(received_);
        check(answers);
        // Then nothing happens, and the server ends the connection.
        for (int round = 0; round < 4; ++round) {
            wait(std::chrono::hours{1});
            read_all();
        }
        handler_->channel.reset();
        read_all();
        HOLDFAST_EXPECT(loop_->connections.empty());
        HOLDFAST_EXPECT(serving_->connection_count == 0);
        HOLDFAST_EXPECT(!client_.is_open() || has_server_closed_);
        HOLDFAST_EXPECT(!timekeeper_.next());
        client_.reset();
        run();
        return answers;
    }

    void check(const std::vector<SeenAnswer>& answers) const {
        std::size_t last_number = 0;
        bool is_refused = false;
        for (const SeenAnswer& answer : answers) {
            HOLDFAST_EXPECT(!is_refused);
            is_refused = !answer.number && (answer.status == 400 || answer.status == 408 ||
                                            answer.status == 413 || answer.status == 431);
            if (answer.number) {
                HOLDFAST_EXPECT(*answer.number > last_number);
                HOLDFAST_EXPECT(*answer.number <= handler_->count);
                last_number = *answer.number;
            }
        }
        const bool is_undisturbed =
            !has_ended_ && !has_waited_ && !can_be_cut_ && !handler_->has_dropped;
        if (is_undisturbed) {
            HOLDFAST_EXPECT(answers.empty() || answers.back().is_complete);
        }
    }

    boost::asio::io_context context_{1};
    resilience::testing::ManualTimekeeper timekeeper_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::shared_ptr<net::HttpServing> serving_ = std::make_shared<net::HttpServing>();
    std::shared_ptr<net::HttpLoop> loop_ = std::make_shared<net::HttpLoop>();
    std::shared_ptr<ScriptedHandler> handler_;
    platform::UniqueFd client_;
    std::string received_;
    bool has_ended_ = false;   // the client has closed at least one direction
    bool has_waited_ = false;  // long enough for a time limit
    bool can_be_cut_ = false;  // a stream may have exceeded its limit
    bool is_drained_ = false;
    bool has_server_closed_ = false;
};

/// Plays a script on the loop that all scripts of this process share.
inline std::vector<SeenAnswer> play_connection(std::string_view script) {
    // Virtual time only grows, and would overflow after some hundred thousand scripts.
    constexpr std::size_t kScriptsInOneTime = 20'000;
    static std::optional<ConnectionLab> lab;
    static std::size_t played = 0;
    if (played++ % kScriptsInOneTime == 0) {
        lab.emplace();
    }
    return lab->play(script);
}

}  // namespace holdfast::fuzz
