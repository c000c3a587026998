// A coroutine program: the whole pipeline around a downstream that hangs once.

#include <chrono>
#include <iostream>
#include <random>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <holdfast/resilience/asio/asio_pipeline.hpp>
#include <holdfast/resilience/asio/loop_timekeeper.hpp>

namespace asio = boost::asio;
namespace resilience = holdfast::resilience;
using namespace std::chrono_literals;

using Reply = resilience::AttemptReply<std::string>;

/// Stands for your network call: the first attempt hangs, the second answers.
static asio::awaitable<Reply> fetch(resilience::AttemptContext attempt) {
    asio::steady_timer work{co_await asio::this_coro::executor};
    work.expires_after(attempt.number() == 1 ? 1h : 1ms);
    co_await work.async_wait(asio::use_awaitable);
    co_return Reply{.value = "hello"};
}

static asio::awaitable<void> run(resilience::LoopServices services) {
    const auto pipeline = resilience::AsioPipeline::make(
        {.name = "greeter", .options = {.timeout = 2s, .attempt_timeout = 50ms}});
    const auto reply =
        co_await pipeline->run<std::string>({.safe_to_repeat = true}, services, fetch);
    std::cout << reply.value.value_or("nothing") << " after " << reply.verdict.attempts
              << " attempts\n";
}

int main() {
    asio::io_context loop{1};
    resilience::LoopTimekeeper timekeeper{loop.get_executor()};
    std::mt19937_64 random{std::random_device{}()};
    asio::co_spawn(loop, run({timekeeper, random}), [](std::exception_ptr failure) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    });
    loop.run();
}
