#include "net/run_on_thread.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "net/expect_no_exception.hpp"
#include "tests/support/gate.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Answer = resilience::Result<std::string, NotRun>;

struct Loop {
    asio::io_context context;
    resilience::LoopTimekeeper timekeeper{context.get_executor()};

    OwningLoop owning() { return {.executor = context.get_executor(), .timekeeper = &timekeeper}; }
};

/// What a coroutine got; destroyed with it.
struct Waiter {
    std::optional<Answer> answer;
    std::thread::id resumed_on;
};

template <class Work>
asio::awaitable<void> ask(platform::JobThread& thread, OwningLoop loop, Work work,
                          std::shared_ptr<Waiter> waiter) {
    waiter->answer = co_await run_on_thread(thread, loop, std::move(work));
    waiter->resumed_on = std::this_thread::get_id();
}

class RunOnThreadTest : public ::testing::Test {
protected:
    template <class Work>
    std::shared_ptr<Waiter> start(Work work, asio::cancellation_slot slot = {}) {
        auto waiter = std::make_shared<Waiter>();
        asio::co_spawn(loop->context, ask(*thread, loop->owning(), std::move(work), waiter),
                       asio::bind_cancellation_slot(slot, expect_no_exception));
        return waiter;
    }
    /// Until there is nothing to do but to wait for the thread.
    void run_until_it_waits() {
        loop->context.restart();
        loop->context.poll();
    }
    void run_until_answered(const Waiter& waiter) {
        loop->context.restart();
        while (!waiter.answer && loop->context.run_one() > 0) {
        }
    }
    std::shared_ptr<Waiter> start_gated() {
        auto waiter = start([gate = gate] {
            gate->pass();
            return std::string{"late"};
        });
        run_until_it_waits();
        gate->wait_until_entered();
        return waiter;
    }

    const std::shared_ptr<test::Gate> gate = std::make_shared<test::Gate>();
    std::optional<Loop> loop{std::in_place};
    std::optional<platform::JobThread> thread{
        platform::JobThreadOptions{.max_queued = 1, .finish_within = 60s}};
};

TEST_F(RunOnThreadTest, ResumesOnTheLoopWithTheResultOfTheWork) {
    std::thread::id worked_on;
    const auto waiter = start([&worked_on] {
        worked_on = std::this_thread::get_id();
        return std::string{"read"};
    });

    run_until_answered(*waiter);

    EXPECT_EQ(**waiter->answer, "read");
    EXPECT_EQ(waiter->resumed_on, std::this_thread::get_id());
    EXPECT_NE(worked_on, std::this_thread::get_id());
}

TEST_F(RunOnThreadTest, RefusesWorkThatTheQueueHasNoSlotFor) {
    const auto first = start_gated();
    const auto second = start([] { return std::string{"second"}; });
    const auto third = start([] { return std::string{"third"}; });
    run_until_answered(*third);

    EXPECT_EQ(third->answer->error(), NotRun::queue_full);
    EXPECT_FALSE(second->answer);

    gate->open();
    run_until_answered(*second);
    EXPECT_EQ(**first->answer, "late");
    EXPECT_EQ(**second->answer, "second");
}

TEST_F(RunOnThreadTest, ACancelledCoroutineEndsAtOnceAndItsWorkIsSkipped) {
    const auto first = start_gated();
    asio::cancellation_signal signal;
    const auto cancelled = start(
        []() -> std::string {
            ADD_FAILURE() << "nobody waits for it";
            return {};
        },
        signal.slot());
    run_until_it_waits();

    signal.emit(asio::cancellation_type::terminal);
    run_until_answered(*cancelled);

    EXPECT_EQ(cancelled->answer->error(), NotRun::cancelled);
    gate->open();
    run_until_answered(*first);
    EXPECT_EQ(**first->answer, "late");
}

TEST_F(RunOnThreadTest, ResumesNothingOnALoopThatIsGone) {
    thread.emplace(platform::JobThreadOptions{.finish_within = 1ms});
    const std::weak_ptr<Waiter> waiter = start_gated();

    thread.reset();
    loop.reset();

    EXPECT_TRUE(waiter.expired()) << "the coroutine goes with its loop, not with the thread";
    gate->open();
}

}  // namespace
}  // namespace holdfast::net
