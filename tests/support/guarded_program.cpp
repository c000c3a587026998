// guarded_program <command> [<argument>...]: a gateway with only a guardian and one child.
//
// It starts the command as a child, waits for the child's first line, prints "ready", and waits.
// SIGTERM and SIGINT make it stop the child and exit with 0; the end of the child makes it exit
// with 1. It never lives longer than two minutes.

#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "process/child_process.hpp"
#include "process/guardian.hpp"

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using holdfast::process::ChildProcess;
using holdfast::process::ChildSpec;
using holdfast::process::Guardian;

constexpr unsigned kLifetimeSeconds = 120;

ChildSpec child_of(int argument_count, char** arguments) {
    ChildSpec spec;
    for (int index = 1; index < argument_count; ++index) {
        spec.arguments.emplace_back(arguments[index]);
    }
    for (char** entry = environ; *entry != nullptr; ++entry) {
        spec.environment.emplace_back(*entry);
    }
    return spec;
}

asio::awaitable<void> serve(std::shared_ptr<ChildProcess> child, int* exit_code) {
    const auto line = co_await child->read();
    if (!line) {
        std::fprintf(stderr, "guarded_program: %s\n", line.error().message.c_str());
        co_return;
    }
    asio::signal_set signals{co_await asio::this_coro::executor, SIGTERM, SIGINT};
    std::puts("ready");
    std::fflush(stdout);
    co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
    const auto stopped =
        co_await child->stop({.close_wait = 50ms, .terminate_wait = 50ms, .kill_wait = 10s});
    *exit_code = stopped ? 0 : 1;
}

}  // namespace

// An exception ends this program, and the test fails.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argument_count, char** arguments) {
    ::alarm(kLifetimeSeconds);
    auto guardian = Guardian::start();
    if (!guardian || argument_count < 2) {
        return 2;
    }
    asio::io_context context{1};
    holdfast::resilience::LoopTimekeeper timekeeper{context.get_executor()};
    auto child = ChildProcess::launch({context.get_executor(), &timekeeper}, *guardian,
                                      child_of(argument_count, arguments));
    if (!child) {
        return 2;
    }
    int exit_code = 1;
    asio::co_spawn(context, serve(std::shared_ptr<ChildProcess>{std::move(*child)}, &exit_code),
                   [&context](const std::exception_ptr&) { context.stop(); });
    context.run();
    return exit_code;
}
