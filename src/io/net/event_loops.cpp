#include "net/event_loops.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <thread>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "holdfast/resilience/expect.hpp"
#include "net/buffer_budget.hpp"
#include "net/reactor/socket_poller.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;

/// A context that can destroy everything that waits in it while others may still post to it.
class LoopContext final : public asio::io_context {
public:
    // The hint says that one thread runs it; other threads may still post to it.
    LoopContext() : asio::io_context(1) {}

    void drop_handlers() { shutdown(); }
};

struct EventLoop {
    explicit EventLoop(double clock_rate)
        : timekeeper(std::in_place, context.get_executor(), clock_rate) {}

    LoopContext context;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    // Destroyed before the context; abandons its timers.
    std::optional<resilience::LoopTimekeeper> timekeeper;
};

}  // namespace

struct EventLoops::Hidden {
    explicit Hidden(std::size_t max_buffer_bytes) : buffers(max_buffer_bytes) {}

    BufferBudget buffers;  // what waits in a loop may have a share of it
    std::vector<std::unique_ptr<EventLoop>> loops;
    std::vector<OwningLoop> all;
};

EventLoops::EventLoops(std::size_t count, double clock_rate, std::size_t max_buffer_bytes)
    : hidden_(std::make_unique<Hidden>(max_buffer_bytes)) {
    HOLDFAST_EXPECT(count > 0);
    for (std::size_t index = 0; index < count; ++index) {
        const auto& loop = hidden_->loops.emplace_back(std::make_unique<EventLoop>(clock_rate));
        SocketPoller::of(loop->context.get_executor()).use_clock(*loop->timekeeper);
        hidden_->all.push_back({.executor = loop->context.get_executor(),
                                .timekeeper = &*loop->timekeeper,
                                .buffers = &hidden_->buffers});
    }
}

EventLoops::~EventLoops() {
    // A handler that waits on one loop may own objects of another loop, and its destructor may post
    // there. So all handlers are destroyed while all loops still exist, and then the handlers that
    // this has posted.
    const auto drop_all = [this] {
        for (const auto& loop : hidden_->loops) {
            loop->context.drop_handlers();
        }
    };
    drop_all();
    for (const auto& loop : hidden_->loops) {
        loop->timekeeper.reset();
    }
    drop_all();
}

const std::vector<OwningLoop>& EventLoops::all() const noexcept {
    return hidden_->all;
}

void EventLoops::run() {
    std::vector<std::jthread> threads;
    for (std::size_t index = 1; index < hidden_->loops.size(); ++index) {
        threads.emplace_back([&loop = *hidden_->loops[index]] { loop.context.run(); });
    }
    hidden_->loops.front()->context.run();
}

void EventLoops::stop() {
    for (const auto& loop : hidden_->loops) {
        loop->context.stop();
    }
}

}  // namespace holdfast::net
