// What a server refuses, and its timeouts.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <tuple>

#include "net/http_server.hpp"
#include "served_http.hpp"

namespace holdfast::net {
namespace {

/// Makes the kernel fail every accept of the calling thread as if the process had no descriptor
/// left. (A real shortage would affect the sanitizers as well.)
bool accept_without_descriptors() {
    std::array program{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_accept, 1, 0),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_accept4, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{.len = program.size(), .filter = program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

class HttpServerLimitsTest : public ServedHttpTest {};

TEST_F(HttpServerLimitsTest, RefusesAHeadThatIsTooLong) {
    start({.max_header_bytes = 8'192});
    const std::string filler(8'192, 'x');

    expect_refusal(post("", "X: " + filler + "\r\n"), 431);
    expect_refusal("POST /" + filler + filler, 431);

    RawClient from = client();
    expect_answer(from, post("fits", "X: " + std::string(8'000, 'x') + "\r\n"), ok("fits"));
}

TEST_F(HttpServerLimitsTest, RefusesABodyThatIsTooLarge) {
    start({.max_body_bytes = 10});

    expect_refusal(post("0123456789A"), 413);
    expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n",
                   413);
    expect_refusal(
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n",
        413);

    RawClient from = client();
    expect_answer(from, post("0123456789"), ok("0123456789"));
}

TEST_F(HttpServerLimitsTest, RefusesMalformedRequestsWithoutTheHandler) {
    start();

    expect_refusal("nonsense\r\n\r\n", 400);
    expect_refusal("POST / HTTP/1.1\nHost: h\n\n", 400);
    expect_refusal("POST / HTTP/1.1\r\n\r\n", 400);
    expect_refusal("POST / HTTP/3\r\nHost: h\r\n\r\n", 505);
    expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501);
    expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nExpect: a miracle\r\n\r\n", 417);
    expect_refusal(
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
        400);
    EXPECT_EQ(handler_->asked_count, 0);

    expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400);
}

TEST_F(HttpServerLimitsTest, RefusesAfterAHeadRequestWithAWholeAnswer) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send("HEAD /mcp HTTP/1.1\r\nHost: h\r\n\r\n");
    next_exchange()->reply({.body = "unsent"});
    std::ignore = answer(from, 1);

    from.send("nonsense\r\n\r\n");

    const std::string text = answer_until_end(from);
    EXPECT_TRUE(text.starts_with("HTTP/1.1 400 ")) << text;
    EXPECT_NE(text.find("{\"error\":\""), std::string::npos) << text;
}

TEST_F(HttpServerLimitsTest, AClientCanReadARefusalWhileItStillSends) {
    start({.max_body_bytes = 10});
    RawClient from = client();
    const std::string body(3'000'000, 'x');
    const std::string request = post(body);

    std::size_t sent = 0;
    run_until([&] {
        sent += from.send(std::string_view{request}.substr(sent));
        from.receive();
        return from.has_ended();
    });

    EXPECT_TRUE(from.received().starts_with("HTTP/1.1 413 ")) << from.received();
}

TEST_F(HttpServerLimitsTest, RefusesConnectionsAboveTheLimit) {
    start({.max_connections = 2});
    RawClient first = client();
    RawClient second = client();
    expect_answer(first, post("1"), ok("1"));
    expect_answer(second, post("2"), ok("2"));

    expect_refusal(post("3"), 503);

    first.close();
    run_until([&] { return server_->connection_count() == 1; });
    RawClient third = client();
    expect_answer(third, post("3"), ok("3"));
}

TEST_F(HttpServerLimitsTest, PausesAcceptingWithoutDescriptors) {
    start();
    RawClient first = client();
    expect_answer(first, post("1"), ok("1"));
    RawClient second = client();

    std::thread{[&] {
        ASSERT_TRUE(accept_without_descriptors());
        run_until([&] {
            return timekeeper_.next().value_or(resilience::TimePoint::max()) <=
                   timekeeper_.now() + 100ms;
        });
    }}.join();
    settle();

    EXPECT_EQ(server_->connection_count(), 1U);
    advance(100ms);
    expect_answer(second, post("2"), ok("2"));
}

TEST_F(HttpServerLimitsTest, TimesOutASlowHead) {
    start({.head_wait = 15s});
    RawClient from = client();
    from.send("POST / HTTP/1.1\r\n");
    settle();

    // A byte does not restart the timeout.
    for (int count = 0; count < 14; ++count) {
        advance(1s);
        from.send("X");
        settle();
    }
    from.receive();
    EXPECT_EQ(from.received(), "");
    advance(1s);

    EXPECT_TRUE(answer_until_end(from).starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServerLimitsTest, TimesOutABodyWithoutProgress) {
    start({.body_wait = 60s, .body_progress_bytes = 1});
    RawClient from = client();
    from.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n");
    settle();

    for (int count = 0; count < 3; ++count) {
        advance(59s);
        from.send("x");
        settle();
    }
    from.receive();
    EXPECT_EQ(from.received(), "");
    advance(60s);

    EXPECT_TRUE(answer_until_end(from).starts_with("HTTP/1.1 408 "));
    EXPECT_TRUE(handler_->kept.empty());
}

TEST_F(HttpServerLimitsTest, TimesOutABodyThatProgressesTooSlowly) {
    start({.body_wait = 60s, .body_progress_bytes = 1'000});
    RawClient from = client();
    from.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n");
    settle();

    advance(59s);
    from.send(std::string(1'000, 'x'));
    settle();
    for (int count = 0; count < 59; ++count) {
        advance(1s);
        from.send("x");
        settle();
    }
    from.receive();
    EXPECT_EQ(from.received(), "");
    advance(1s);

    EXPECT_TRUE(answer_until_end(from).starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServerLimitsTest, ClosesAConnectionWithoutAFirstByte) {
    start({.first_wait = 15s, .idle_wait = 600s});
    RawClient silent = client();
    RawClient from = client();
    expect_answer(from, post("a"), ok("a"));

    advance(14s);
    EXPECT_EQ(server_->connection_count(), 2U);
    advance(1s);

    EXPECT_EQ(answer_until_end(silent), "");
    EXPECT_EQ(server_->connection_count(), 1U);
    expect_answer(from, post("b"), ok("b"));
}

TEST_F(HttpServerLimitsTest, LineEndsDoNotKeepAConnectionOpen) {
    start({.first_wait = 15s, .head_wait = 15s, .idle_wait = 600s});
    RawClient from = client();
    settle();

    for (int count = 0; count < 14; ++count) {
        advance(1s);
        from.send(count % 2 == 0 ? "\r" : "\n");
        settle();
    }
    EXPECT_EQ(server_->connection_count(), 1U);
    advance(1s);

    EXPECT_EQ(server_->connection_count(), 0U);
}

TEST_F(HttpServerLimitsTest, OneAddressHasAtMostAQuarterOfAllConnections) {
    start({.max_connections = 8, .counts_loopback = true});
    RawClient first = client();
    RawClient second = client();
    expect_answer(first, post("1"), ok("1"));
    expect_answer(second, post("2"), ok("2"));

    expect_refusal(post("3"), 503);

    first.close();
    run_until([&] { return server_->connection_count() == 1; });
    RawClient third = client();
    expect_answer(third, post("3"), ok("3"));
}

TEST_F(HttpServerLimitsTest, AddressesOfThisMachineHaveNoSuchLimit) {
    start({.max_connections = 4});
    RawClient first = client();
    RawClient second = client();

    expect_answer(first, post("1"), ok("1"));
    expect_answer(second, post("2"), ok("2"));
}

TEST_F(HttpServerLimitsTest, LeavesDescriptorsForOtherUses) {
    start({.max_descriptor = 0});

    expect_refusal(post("1"), 503);
}

TEST_F(HttpServerLimitsTest, ClosesAnIdleConnectionWithoutAnAnswer) {
    start({.idle_wait = 600s});
    RawClient from = client();
    expect_answer(from, post("a"), ok("a"));

    advance(599s);
    expect_answer(from, post("b"), ok("b"));
    advance(599s);
    EXPECT_EQ(server_->connection_count(), 1U);
    advance(1s);

    EXPECT_EQ(answer_until_end(from), "");
    EXPECT_EQ(server_->connection_count(), 0U);
}

TEST_F(HttpServerLimitsTest, WaitsForTheHandlerWithoutATimeout) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("x"));
    const auto exchange = next_exchange();

    advance(24h);
    exchange->reply({.body = "late"});

    EXPECT_EQ(answer(from, ok("late").size()), ok("late"));
}

TEST_F(HttpServerLimitsTest, ClosesAfterALastAnswerThatIsNotRead) {
    start({.linger_wait = 2s});
    RawClient from = client();
    from.send(post("x", "Connection: close\r\n"));
    run_until([&] { return from.receive(); });
    EXPECT_EQ(server_->connection_count(), 1U);

    advance(2s);

    EXPECT_EQ(server_->connection_count(), 0U);
}

TEST_F(HttpServerLimitsTest, CutsOffAClientThatDoesNotReadItsAnswer) {
    start({.write_wait = 120s});
    handler_->keeps = true;
    RawClient from = client(4'096);
    from.send(post("x"));
    next_exchange()->reply({.body = std::string(16'000'000, 'x')});
    settle();

    advance(119s);
    EXPECT_EQ(server_->connection_count(), 1U);
    // Progress restarts the timeout.
    run_until([&] {
        from.receive();
        return from.received().size() > 8'000'000;
    });
    settle();
    advance(119s);
    EXPECT_EQ(server_->connection_count(), 1U);
    advance(1s);

    EXPECT_EQ(server_->connection_count(), 0U);
}

}  // namespace
}  // namespace holdfast::net
