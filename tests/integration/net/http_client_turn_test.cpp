// An idle connection that ends in the same turn of the loop in which it is used again.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client_loop.hpp"
#include "net/reactor/polled_socket.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

/// Runs code within a turn: when its peer has sent a byte.
struct TurnStarter final : SocketEvents {
    explicit TurnStarter(tcp::socket connected) : socket(std::move(connected)) {}

    std::span<char> read_buffer() override { return space; }
    void on_read(const Error&, std::size_t) override { then(); }
    void on_writable() override {}

    PolledSocket socket;
    std::array<char, 16> space{};
    std::function<void()> then;
};

enum class Style : std::uint8_t { awaited, observed };

class HttpClientTurnTest : public testing::TestWithParam<Style> {
protected:
    HttpClientTurnTest() { acceptor_.non_blocking(true); }
    ~HttpClientTurnTest() override { starter_->socket.close(); }

    std::shared_ptr<Task<Fetched>> start(std::string body) {
        if (GetParam() == Style::observed) {
            const auto observed = std::make_shared<ObservedRequest>(loop_.loop(), 1'000'000);
            HttpClientRequest request{.body = body};
            if (observed->try_start(*client_, request)) {
                return observed->task;
            }
        }
        return loop_.start(fetch(client_, loop_.loop(), {.body = std::move(body)},
                                 loop_.within(std::chrono::seconds{10})));
    }

    /// Returns the next connection of the client.
    tcp::socket accepted() {
        std::optional<tcp::socket> socket;
        EXPECT_TRUE(loop_.run_until([&] {
            Error error;
            tcp::socket next = acceptor_.accept(error);
            if (!error) {
                next.non_blocking(true);
                socket.emplace(std::move(next));
            }
            return socket.has_value();
        }));
        return std::move(socket).value();
    }

    /// Waits for a request whose body is `body`, and answers it.
    void answer(tcp::socket& connection, const std::string& body, const std::string& answer) {
        std::string got;
        EXPECT_TRUE(loop_.run_until([&] {
            std::array<char, 64 * 1024> piece{};
            Error error;
            got.append(piece.data(), connection.read_some(asio::buffer(piece), error));
            return got.ends_with("\r\n\r\n" + body);
        }));
        send(connection, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(answer.size()) +
                             "\r\n\r\n" + answer);
    }

    static void send(tcp::socket& connection, const std::string& text) {
        asio::write(connection, asio::buffer(text));
    }

    void prepare_turn() {
        tcp::acceptor acceptor{loop_.context(), {asio::ip::address_v4::loopback(), 0}};
        trigger_.connect(acceptor.local_endpoint());
        tcp::socket socket = acceptor.accept();
        socket.non_blocking(true);
        starter_ = std::make_shared<TurnStarter>(std::move(socket));
        starter_->socket.start_read(starter_);
    }

    /// Makes a first request, whose connection is idle afterwards.
    tcp::socket idle_connection() {
        prepare_turn();
        const auto first = start("first");
        tcp::socket connection = accepted();
        answer(connection, "first", "one");
        EXPECT_TRUE(loop_.run_until([&] { return first->result.has_value(); }));
        loop_.settle();
        return connection;
    }

    /// Starts the second request in a turn, before the rest of the turn ends the connection.
    std::shared_ptr<Task<Fetched>> second_request_before(const std::function<void()>& the_end,
                                                         const std::string& body) {
        auto second = std::make_shared<std::shared_ptr<Task<Fetched>>>();
        starter_->then = [this, second, body] { *second = start(body); };
        send(trigger_, "x");
        the_end();
        EXPECT_TRUE(loop_.run_until([&] { return *second != nullptr; }));
        return *second;
    }

    ClientLoop loop_;
    tcp::acceptor acceptor_{loop_.context(), {asio::ip::address_v4::loopback(), 0}};
    tcp::socket trigger_{loop_.context()};
    std::shared_ptr<TurnStarter> starter_;
    std::shared_ptr<HttpClient> client_ =
        client_of("http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/");
};

INSTANTIATE_TEST_SUITE_P(Styles, HttpClientTurnTest,
                         testing::Values(Style::awaited, Style::observed), [](const auto& info) {
                             return info.param == Style::awaited ? "Awaited" : "Observed";
                         });

TEST_P(HttpClientTurnTest, SendsOnAnotherConnectionWhenTheServerHasClosed) {
    tcp::socket old = idle_connection();
    const std::string body(100'000, 'x');
    const auto second = second_request_before([&] { old.close(); }, body);

    tcp::socket fresh = accepted();
    answer(fresh, body, "two");
    EXPECT_TRUE(loop_.run_until([&] { return second->result.has_value(); }));
    EXPECT_EQ(second->result->body, "two") << second->result->message;
}

TEST_P(HttpClientTurnTest, SendsOnAnotherConnectionWhenTheServerHasReset) {
    tcp::socket old = idle_connection();
    const std::string body(100'000, 'x');
    const auto second = second_request_before(
        [&] {
            old.set_option(asio::socket_base::linger(true, 0));
            old.close();
        },
        body);

    tcp::socket fresh = accepted();
    answer(fresh, body, "two");
    EXPECT_TRUE(loop_.run_until([&] { return second->result.has_value(); }));
    EXPECT_EQ(second->result->body, "two") << second->result->message;
}

TEST_P(HttpClientTurnTest, IgnoresBytesThatArrivedBeforeTheRequest) {
    tcp::socket old = idle_connection();
    const auto second = second_request_before(
        [&] { send(old, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"); }, "short");

    tcp::socket fresh = accepted();
    answer(fresh, "short", "two");
    EXPECT_TRUE(loop_.run_until([&] { return second->result.has_value(); }));
    EXPECT_EQ(second->result->status, 200);
    EXPECT_EQ(second->result->body, "two") << second->result->message;
}

TEST_P(HttpClientTurnTest, ReportsThatNothingWasSentWithoutAnotherConnection) {
    tcp::socket old = idle_connection();
    const auto second = second_request_before(
        [&] {
            old.close();
            acceptor_.close();
        },
        "short");

    EXPECT_TRUE(loop_.run_until([&] { return second->result.has_value(); }));
    EXPECT_EQ(second->result->error, NetErrc::closed);
    EXPECT_FALSE(second->result->may_have_arrived);
}

}  // namespace
}  // namespace holdfast::net
