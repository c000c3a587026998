#include "platform/worker_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "tests/support/gate.hpp"

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;
using Wait = std::optional<resilience::Duration>;

constexpr auto kPatience = 60s;

TEST(WorkerThreadTest, RunsAStepForEachFlush) {
    std::atomic<int> steps = 0;
    WorkerThread thread{{}, [&steps](WorkerThread::Worker&) {
                            ++steps;
                            return Wait{};
                        }};

    EXPECT_TRUE(thread.flush(kPatience));
    EXPECT_TRUE(thread.flush(kPatience));

    EXPECT_EQ(steps, 2);
}

TEST(WorkerThreadTest, RunsOneStepForAllWakesDuringAStep) {
    test::Gate gate;
    std::atomic<int> steps = 0;
    WorkerThread thread{{}, [&](WorkerThread::Worker&) {
                            if (++steps == 1) {
                                gate.pass();
                            }
                            return Wait{};
                        }};
    thread.wake();
    gate.wait_until_entered();

    thread.wake();
    thread.wake();
    thread.wake();
    gate.open();
    EXPECT_TRUE(thread.flush(kPatience));

    // The flush may find the wakes unserved, and then they share its step.
    EXPECT_LE(steps, 3);
    EXPECT_GE(steps, 2);
}

TEST(WorkerThreadTest, AFlushDoesNotCountAStepThatHadBegunBeforeIt) {
    test::Gate gate;
    std::atomic<int> steps = 0;
    WorkerThread thread{{}, [&](WorkerThread::Worker&) {
                            if (++steps == 1) {
                                gate.pass();
                            }
                            return Wait{};
                        }};
    thread.wake();
    gate.wait_until_entered();

    EXPECT_FALSE(thread.flush(1ms));
    gate.open();
    EXPECT_TRUE(thread.flush(kPatience));

    EXPECT_GE(steps, 2);
}

TEST(WorkerThreadTest, RunsTheNextStepAfterTheTimeThatAStepReturned) {
    std::promise<void> third;
    int steps = 0;
    WorkerThread thread{{.first_step_after = 1ms}, [&](WorkerThread::Worker&) {
                            if (++steps == 3) {
                                third.set_value();
                                return Wait{};
                            }
                            return Wait{1ms};
                        }};

    EXPECT_EQ(third.get_future().wait_for(kPatience), std::future_status::ready);
}

TEST(WorkerThreadTest, RunsALastStepThatKnowsThatItIsTheLast) {
    int steps = 0;
    bool was_last = false;
    {
        WorkerThread thread{{}, [&](WorkerThread::Worker& worker) {
                                ++steps;
                                was_last = worker.is_stopping();
                                return Wait{};
                            }};
    }

    EXPECT_EQ(steps, 1);
    EXPECT_TRUE(was_last);
}

TEST(WorkerThreadTest, AStepSeesThatItsOwnerStops) {
    test::Gate gate;
    WorkerThread thread{{}, [&gate](WorkerThread::Worker& worker) {
                            if (!worker.is_stopping()) {
                                gate.enter();
                                while (!worker.is_stopping()) {
                                    std::this_thread::yield();
                                }
                            }
                            return Wait{};
                        }};
    thread.wake();
    gate.wait_until_entered();

    thread.stop();

    EXPECT_TRUE(thread.is_stopping());
    EXPECT_TRUE(thread.flush(kPatience)) << "a thread that has ended keeps nobody waiting";
}

TEST(WorkerThreadTest, DetachesAThreadThatHangsAndKeepsItAwayFromItsOwner) {
    const auto gate = std::make_shared<test::Gate>();
    const auto reached = std::make_shared<std::promise<std::pair<bool, bool>>>();
    auto result = reached->get_future();
    {
        WorkerThread thread{{.finish_within = 1ms}, [reached, gate](WorkerThread::Worker& worker) {
                                if (worker.is_stopping()) {
                                    return Wait{};
                                }
                                const bool before = worker.with_owner([] {});
                                gate->pass();
                                const bool after = worker.with_owner([] { FAIL(); });
                                reached->set_value({before, after});
                                return Wait{};
                            }};
        thread.wake();
        gate->wait_until_entered();
    }

    gate->open();

    EXPECT_EQ(result.get(), (std::pair{true, false}));
}

}  // namespace
}  // namespace holdfast::platform
