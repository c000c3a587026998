#include "holdfast/resilience/shared_pipeline.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/manual_clock.hpp"
#include "support/pipeline_tools.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::answered;
using testing::attempt_of;
using testing::failed;
using testing::ManualClock;
using testing::plain_setup;
using testing::retry_wait_of;
using testing::slot_wait_of;
using testing::verdict_of;

/// Observer and waker that call back: a held lock would cause a deadlock.
class CallingBack final : public Observer, public Waker {
public:
    void on_transition(std::string_view name, const CircuitTransition& /*event*/) override {
        note("transition", name);
    }
    void on_refusal(std::string_view name, const Refusal& /*event*/) override {
        note("refusal", name);
    }
    void on_retry(std::string_view name, const ScheduledRetry& /*event*/) override {
        note("retry", name);
    }
    void wake(WaiterId waiter) override { note("wake", std::to_string(waiter)); }

    std::function<void()> call_back = [] {};
    std::vector<std::string> notices;

private:
    void note(std::string_view what, std::string_view whom) {
        notices.push_back(std::string{what} + ' ' + std::string{whom});
        call_back();
    }
};

class SharedPipelineTest : public ::testing::Test {
protected:
    SharedPipelineTest() {
        seen_.call_back = [this] {
            if (pipeline_) {
                states_.push_back(pipeline_->with([this](const PipelineParts& parts) {
                    return parts.circuit->state(clock_.now());
                }));
            }
        };
    }

    [[nodiscard]] std::uint32_t in_flight() {
        return pipeline_->with(
            [](const PipelineParts& parts) { return parts.bulkhead->in_flight(); });
    }
    [[nodiscard]] PipelineStep end(SharedPipeline::Call& call, const AttemptEnd& how) {
        return call.on_attempt_end(how, clock_.now(), random_);
    }
    void fail_times(int count) {
        for (int index = 0; index < count; ++index) {
            auto call = pipeline_->call({});
            std::ignore = call.start(clock_.now());
            std::ignore = end(call, failed(FailureKind::permanent));
        }
    }

    ManualClock clock_;
    std::mt19937_64 random_{1};
    CallingBack seen_;
    std::vector<CircuitState> states_;  // seen when called back
    std::shared_ptr<SharedPipeline> pipeline_ = SharedPipeline::make(plain_setup(), &seen_, &seen_);
};

TEST_F(SharedPipelineTest, RunsACallThroughAllItsSteps) {
    auto call = pipeline_->call({.safe_to_repeat = true});

    EXPECT_EQ(attempt_of(call.start(clock_.now())).number, 1U);
    EXPECT_EQ(in_flight(), 1U);
    EXPECT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    clock_.advance(1s);
    EXPECT_EQ(attempt_of(call.resume(clock_.now())).number, 2U);
    EXPECT_EQ(verdict_of(end(call, answered())).attempts, 2U);

    EXPECT_EQ(in_flight(), 0U);
    EXPECT_EQ(seen_.notices, std::vector<std::string>{"retry files"});
    EXPECT_EQ(states_.size(), 1U);
}

TEST_F(SharedPipelineTest, NotifiesTheObserverAfterUnlocking) {
    fail_times(3);
    auto refused = pipeline_->call({});

    EXPECT_EQ(verdict_of(refused.start(clock_.now())).ending, CallEnding::refused);

    EXPECT_EQ(seen_.notices, (std::vector<std::string>{"transition files", "refusal files"}));
    EXPECT_EQ(states_, (std::vector<CircuitState>{CircuitState::open, CircuitState::open}));
}

TEST_F(SharedPipelineTest, NotifiesTheWakerAfterUnlocking) {
    auto first = pipeline_->call({.waiter = 1});
    auto second = pipeline_->call({.waiter = 2});
    ASSERT_EQ(attempt_of(first.start(clock_.now())).number, 1U);
    ASSERT_EQ(slot_wait_of(second.start(clock_.now())), clock_.now() + 5s);
    std::optional<PipelineStep> step;
    seen_.call_back = [&] { step = second.resume(clock_.now()); };

    EXPECT_EQ(verdict_of(end(first, answered())).ending, CallEnding::answered);

    EXPECT_EQ(seen_.notices, std::vector<std::string>{"wake 2"});
    ASSERT_TRUE(step);
    EXPECT_EQ(attempt_of(*step).number, 1U);
}

TEST_F(SharedPipelineTest, ADestroyedCallWakesTheNext) {
    auto second = pipeline_->call({.waiter = 2});
    {
        auto first = pipeline_->call({.waiter = 1});
        ASSERT_EQ(attempt_of(first.start(clock_.now())).number, 1U);
        ASSERT_EQ(slot_wait_of(second.start(clock_.now())), clock_.now() + 5s);
    }

    EXPECT_EQ(seen_.notices, std::vector<std::string>{"wake 2"});
    EXPECT_EQ(attempt_of(second.resume(clock_.now())).number, 1U);
}

TEST_F(SharedPipelineTest, ACancelledCallHoldsNothing) {
    auto call = pipeline_->call({});
    ASSERT_EQ(attempt_of(call.start(clock_.now())).number, 1U);

    EXPECT_EQ(call.cancel().ending, CallEnding::cancelled);

    EXPECT_EQ(in_flight(), 0U);
    EXPECT_EQ(pipeline_->with(
                  [](const PipelineParts& parts) { return parts.circuit->permits_outstanding(); }),
              0U);
}

TEST_F(SharedPipelineTest, ACallKeepsThePipelineAlive) {
    const std::weak_ptr<SharedPipeline> alive = pipeline_;
    {
        auto call = pipeline_->call({});
        ASSERT_EQ(attempt_of(call.start(clock_.now())).number, 1U);
        pipeline_.reset();

        ASSERT_FALSE(alive.expired());
        EXPECT_EQ(verdict_of(end(call, answered())).ending, CallEnding::answered);
    }

    EXPECT_TRUE(alive.expired());
}

TEST_F(SharedPipelineTest, OneReconfigurationWakesAnyNumberOfWaiters) {
    PipelineSetup setup = plain_setup();
    setup.bulkhead->max_queue = 20;
    pipeline_ = SharedPipeline::make(setup, &seen_, &seen_);
    std::vector<std::unique_ptr<SharedPipeline::Call>> calls;
    std::vector<std::string> expected;
    for (WaiterId waiter = 0; waiter <= 20; ++waiter) {
        calls.push_back(
            std::make_unique<SharedPipeline::Call>(pipeline_, CallTraits{.waiter = waiter}));
        std::ignore = calls.back()->start(clock_.now());
        if (waiter > 0) {
            expected.push_back("wake " + std::to_string(waiter));
        }
    }

    pipeline_->with(
        [](const PipelineParts& parts) { parts.bulkhead->reconfigure({.max_in_flight = 100}); });

    EXPECT_EQ(seen_.notices, expected);
    EXPECT_EQ(in_flight(), 21U);
}

TEST_F(SharedPipelineTest, WithoutAWakerWaitersAreServedWhenTheyResume) {
    pipeline_ = SharedPipeline::make(plain_setup());
    auto first = pipeline_->call({.waiter = 1});
    auto second = pipeline_->call({.waiter = 2});
    ASSERT_EQ(attempt_of(first.start(clock_.now())).number, 1U);
    ASSERT_EQ(slot_wait_of(second.start(clock_.now())), clock_.now() + 5s);
    ASSERT_EQ(verdict_of(end(first, answered())).ending, CallEnding::answered);

    EXPECT_EQ(attempt_of(second.resume(clock_.now())).number, 1U);
    EXPECT_TRUE(seen_.notices.empty());
}

TEST_F(SharedPipelineTest, OmittedPartsAreNull) {
    pipeline_ = SharedPipeline::make({.name = "bare",
                                      .circuit = std::nullopt,
                                      .bulkhead = std::nullopt,
                                      .budget = std::nullopt});
    auto call = pipeline_->call({});

    EXPECT_EQ(attempt_of(call.start(clock_.now())).number, 1U);
    EXPECT_EQ(verdict_of(end(call, answered())).ending, CallEnding::answered);

    pipeline_->with([](const PipelineParts& parts) {
        EXPECT_EQ(parts.limiter, nullptr);
        EXPECT_EQ(parts.circuit, nullptr);
        EXPECT_EQ(parts.bulkhead, nullptr);
        EXPECT_EQ(parts.budget, nullptr);
    });
    EXPECT_EQ(pipeline_->name(), "bare");
}

TEST(PipelineSetupTest, ErrorsNameTheInvalidOption) {
    struct Row {
        std::function<void(PipelineSetup&)> spoil;
        std::string named;
    };
    for (const Row& row : std::vector<Row>{
             {[](PipelineSetup& setup) { setup.options.timeout = 0s; }, "timeout"},
             {[](PipelineSetup& setup) { setup.options.attempt_timeout = 0s; }, "attempt_timeout"},
             {[](PipelineSetup& setup) { setup.options.retry.max_attempts = 0; }, "max_attempts"},
             {[](PipelineSetup& setup) { setup.options.fresh_for = -1s; }, "fresh_for"},
             {[](PipelineSetup& setup) { setup.options.stale_for = -1s; }, "stale_for"},
             {[](PipelineSetup& setup) { setup.limiter.emplace().permits = 0; }, "permits"},
             {[](PipelineSetup& setup) { setup.circuit->probe_limit = 0; }, "probe_limit"},
             {[](PipelineSetup& setup) { setup.bulkhead->max_in_flight = 0; }, "max_in_flight"},
             {[](PipelineSetup& setup) { setup.budget.emplace().ratio = 2.0; }, "ratio"}}) {
        PipelineSetup setup = plain_setup();
        ASSERT_TRUE(validated(setup));
        row.spoil(setup);

        const auto checked = validated(setup);

        ASSERT_FALSE(checked);
        EXPECT_NE(checked.error().message.find(row.named), std::string::npos)
            << checked.error().message;
    }
}

}  // namespace
}  // namespace holdfast::resilience
