// Threads share one pipeline with few slots: they queue, are woken through condition variables,
// retry, and give up at any point. Time is virtual and no wait in the queue ever times out, so a
// waiter that is not woken is noticed.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>
#include <variant>

#include "holdfast/resilience/shared_pipeline.hpp"
#include "support/circuit_tools.hpp"
#include "support/crowd.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::HeadCount;
using testing::random_between;
using testing::run_crowd;
using testing::TickingClock;

constexpr std::uint32_t kThreads = 8;
constexpr int kCallsEach = 600;

/// One bell per thread. A ring without a waiter is kept.
class Bells final : public Waker {
public:
    void wake(WaiterId waiter) override {
        Bell& bell = bells_.at(waiter);
        {
            const std::scoped_lock lock{bell.mutex};
            bell.rung = true;
        }
        bell.condition.notify_one();
        rings.fetch_add(1);
    }

    /// Returns false if it does not ring for so long that it never will.
    [[nodiscard]] bool wait(WaiterId waiter) {
        Bell& bell = bells_.at(waiter);
        std::unique_lock lock{bell.mutex};
        const bool rung = bell.condition.wait_for(lock, 20s, [&] { return bell.rung; });
        bell.rung = false;
        return rung;
    }

    std::atomic<std::uint64_t> rings = 0;

private:
    struct Bell {
        std::mutex mutex;
        std::condition_variable condition;
        bool rung = false;
    };
    std::array<Bell, kThreads> bells_;
};

PipelineSetup crowded_setup(std::uint32_t max_in_flight) {
    PipelineSetup setup;
    setup.name = "files";
    setup.options.timeout = 10h;
    setup.options.attempt_timeout = 10h;
    setup.options.retry.transient.base = 0s;
    setup.bulkhead =
        BulkheadOptions{.max_in_flight = max_in_flight, .max_queue = kThreads, .max_wait = 1h};
    setup.circuit = testing::plain_options();
    setup.circuit->failure_threshold = 8;
    setup.circuit->open_for = 50us;
    return setup;
}

class Crowd {
public:
    explicit Crowd(std::uint32_t max_in_flight)
        : pipeline(SharedPipeline::make(crowded_setup(max_in_flight), nullptr, &bells)) {}

    /// A shell around one call.
    void make_call(WaiterId waiter, std::mt19937_64& random) {
        auto call = pipeline->call({.waiter = waiter, .safe_to_repeat = true});
        ++started;
        PipelineStep step = call.start(clock.now());
        while (!std::holds_alternative<CallVerdict>(step)) {
            if (std::holds_alternative<StartAttempt>(step)) {
                if (!try_attempt(call, step, random)) {
                    return;
                }
                continue;
            }
            if (std::holds_alternative<WaitForSlot>(step)) {
                if (chance(random, 0.2)) {
                    ++ended;  // leaves the queue
                    return;
                }
                if (!bells.wait(waiter)) {
                    ADD_FAILURE() << "a wake-up was lost";
                    return;
                }
            }
            step = call.resume(clock.now());
        }
        ++ended;
        answered += std::get<CallVerdict>(step).ending == CallEnding::answered ? 1 : 0;
    }

    void expect_nothing_left() {
        EXPECT_EQ(ended.load(), started.load());
        EXPECT_EQ(sending.inside(), 0U);
        EXPECT_GT(answered.load(), 0U);
        EXPECT_GT(bells.rings.load(), 0U);
        pipeline->with([&](const PipelineParts& parts) {
            EXPECT_EQ(parts.bulkhead->in_flight(), 0U);
            EXPECT_EQ(parts.bulkhead->queued(), 0U);
            EXPECT_EQ(parts.circuit->permits_outstanding(), 0U);
        });
    }

    TickingClock clock;
    Bells bells;
    std::shared_ptr<SharedPipeline> pipeline;
    HeadCount sending;
    std::atomic<std::uint64_t> started = 0;
    std::atomic<std::uint64_t> ended = 0;
    std::atomic<std::uint64_t> answered = 0;

private:
    /// Returns false if the caller left in the meantime.
    bool try_attempt(SharedPipeline::Call& call, PipelineStep& step, std::mt19937_64& random) {
        sending.enter();
        std::this_thread::yield();
        sending.leave();
        const int dice = random_between(random, 0, 9);
        if (dice == 0) {
            EXPECT_EQ(call.cancel().ending, CallEnding::cancelled);
            ++ended;
            return false;
        }
        AttemptEnd end;
        if (dice < 4) {
            end = {.outcome = Outcome::failure, .failure = AttemptFailure{}};
        }
        step = call.on_attempt_end(end, clock.now(), random);
        return true;
    }
};

TEST(SharedPipelineStressTest, EveryCallEndsAndNoWakeUpIsLost) {
    Crowd crowd{2};

    run_crowd(kThreads, [&](std::uint32_t index, std::mt19937_64& random) {
        for (int round = 0; round < kCallsEach; ++round) {
            crowd.make_call(index, random);
        }
    });

    EXPECT_LE(crowd.sending.most(), 2U);
    EXPECT_EQ(crowd.started.load(), std::uint64_t{kThreads} * kCallsEach);
    crowd.expect_nothing_left();
}

TEST(SharedPipelineStressTest, AnOperatorMayChangeEverythingDuringCalls) {
    Crowd crowd{1};

    run_crowd(kThreads, [&](std::uint32_t index, std::mt19937_64& random) {
        for (int round = 0; round < kCallsEach; ++round) {
            if (index > 0) {
                crowd.make_call(index, random);
                continue;
            }
            crowd.pipeline->with([&](const PipelineParts& parts) {
                const TimePoint now = crowd.clock.now();
                BulkheadOptions bulkhead = parts.bulkhead->options();
                bulkhead.max_in_flight = random_between(random, 1U, 3U);
                parts.bulkhead->reconfigure(bulkhead);
                parts.budget->reconfigure({.floor = random_between(random, 1U, 9U)}, now);
                parts.circuit->set_mode(
                    chance(random, 0.2) ? CircuitMode::disabled : CircuitMode::normal, now);
            });
            std::this_thread::yield();
        }
    });

    EXPECT_LE(crowd.sending.most(), 3U);
    crowd.expect_nothing_left();
}

}  // namespace
}  // namespace holdfast::resilience
