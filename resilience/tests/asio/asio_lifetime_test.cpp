// Lifetimes: attempts that outlive their call, callers that leave first, loops and clocks that are
// destroyed. Run under the address sanitizer, which sees what an assertion cannot.

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "holdfast/resilience/asio/asio_pipeline.hpp"
#include "virtual_loop.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::ManualTimekeeper;
using testing::RunningCall;
using testing::VirtualLoop;

using Reply = AttemptReply<std::string>;
using Call = RunningCall<std::string>;

PipelineSetup quick_setup() {
    return {.name = "test",
            .options = {.timeout = 10s, .attempt_timeout = 1s, .retry = {.max_attempts = 1}}};
}

/// A callable with its own state, which its attempts use until they end.
struct StatefulAttempt {
    VirtualLoop* loop;
    std::string text = "a text that is too long for the space inside a string object";
    std::shared_ptr<std::string> seen = std::make_shared<std::string>();

    boost::asio::awaitable<Reply> operator()(AttemptContext /*context*/) {
        OneShot work{loop->timekeeper};
        co_await work.wait_until(loop->timekeeper.now() + 5s);
        *seen = text;
        co_return Reply{.value = text};
    }
};

TEST(AsioLifetimeTest, ACallableLivesAsLongAsItsAttempts) {
    VirtualLoop loop;
    const auto pipeline = AsioPipeline::make(quick_setup());
    StatefulAttempt attempt{.loop = &loop};
    const auto seen = attempt.seen;

    const Call call{loop, pipeline, {}, std::move(attempt)};
    loop.run_all();

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.reply().verdict.ending, CallEnding::failed) << "cut off after a second";
    EXPECT_TRUE(seen->starts_with("a text")) << "and continued after its call";
}

TEST(AsioLifetimeTest, ACallKeepsItsPipelineAliveFromItsCreation) {
    VirtualLoop loop;
    std::optional<Call> call;
    {
        const auto pipeline = AsioPipeline::make(quick_setup());
        call.emplace(loop, pipeline, CallTraits{}, StatefulAttempt{.loop = &loop});
    }

    loop.run_all();

    EXPECT_TRUE(call->has_ended());
}

TEST(AsioLifetimeTest, AnAttemptThatThrowsBeforeItsFirstStepIsAFailure) {
    VirtualLoop loop;
    const auto pipeline = AsioPipeline::make(quick_setup());

    const Call call{loop, pipeline, {}, [](const AttemptContext&) -> boost::asio::awaitable<Reply> {
                        throw std::runtime_error{"no socket"};
                    }};
    loop.run_all();

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.reply().verdict.ending, CallEnding::failed);
    EXPECT_TRUE(call.reply().exception != nullptr);
}

/// Makes its call although it was cancelled in the previous wait.
boost::asio::awaitable<void> call_after_cancellation(std::shared_ptr<AsioPipeline> pipeline,
                                                     VirtualLoop& loop,
                                                     std::optional<CallVerdict>& verdict) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    OneShot before{loop.timekeeper};
    co_await before.wait_until(TimePoint::max());
    const auto reply =
        co_await pipeline->run<std::string>({}, loop.services(), StatefulAttempt{.loop = &loop});
    verdict = reply.verdict;
}

TEST(AsioLifetimeTest, ACallThatIsCancelledBeforeItsStartSendsNothing) {
    VirtualLoop loop;
    boost::asio::cancellation_signal signal;
    std::optional<CallVerdict> verdict;
    boost::asio::co_spawn(
        loop.context, call_after_cancellation(AsioPipeline::make(quick_setup()), loop, verdict),
        boost::asio::bind_cancellation_slot(
            signal.slot(), [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); }));
    loop.settle();

    signal.emit(boost::asio::cancellation_type::terminal);
    loop.settle();

    ASSERT_TRUE(verdict.has_value()) << "it must not wait for anything";
    EXPECT_EQ(verdict->ending, CallEnding::cancelled);
    EXPECT_EQ(verdict->attempts, 0U);
}

/// Reports that it was answered, and then hangs.
boost::asio::awaitable<Reply> hang_after_answer(VirtualLoop& loop, AttemptContext context) {
    context.set_delivery(Delivery::answered);
    OneShot work{loop.timekeeper};
    co_await work.wait_until(loop.timekeeper.now() + 100h);
    co_return Reply{};
}

TEST(AsioLifetimeTest, ACallThatIsCutOffAtItsDeadlineHasTimedOut) {
    VirtualLoop loop;
    PipelineSetup setup = quick_setup();
    setup.options.attempt_timeout = setup.options.timeout;
    const auto pipeline = AsioPipeline::make(setup);

    const Call call{loop, pipeline, {}, [&loop](AttemptContext context) {
                        return hang_after_answer(loop, std::move(context));
                    }};
    loop.run_all();

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.reply().verdict.ending, CallEnding::timed_out);
    EXPECT_TRUE(call.reply().verdict.side_effects_possible);
}

boost::asio::awaitable<void> wait_in(OneShot& shot, std::optional<WakeReason>& reason) {
    reason = co_await shot.wait_until(TimePoint::max());
}

boost::asio::awaitable<void> wait_in_own(Timekeeper& timekeeper) {
    OneShot shot{timekeeper};
    co_await shot.wait_until(TimePoint::max());
}

TEST(AsioLifetimeTest, ACancellationAfterTheTimekeeperIsDestroyedDoesNothing) {
    boost::asio::io_context loop{1};
    boost::asio::cancellation_signal signal;
    auto timekeeper = std::make_unique<ManualTimekeeper>();
    boost::asio::co_spawn(loop, wait_in_own(*timekeeper),
                          boost::asio::bind_cancellation_slot(
                              signal.slot(), [](const std::exception_ptr&) { FAIL(); }));
    loop.poll();

    timekeeper.reset();
    signal.emit(boost::asio::cancellation_type::terminal);
    loop.restart();
    loop.poll();
}

TEST(AsioLifetimeTest, ASignalledWaiterNoLongerNeedsItsTimekeeper) {
    boost::asio::io_context loop{1};
    auto timekeeper = std::make_unique<ManualTimekeeper>();
    OneShot shot{*timekeeper};
    std::optional<WakeReason> reason;
    boost::asio::co_spawn(loop, wait_in(shot, reason),
                          [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    loop.poll();

    shot.signal();
    timekeeper.reset();
    loop.restart();
    loop.poll();

    EXPECT_EQ(reason, WakeReason::signalled);
}

TEST(AsioLifetimeTest, SignalAndResumeResumesTheWaiterWithinTheCall) {
    boost::asio::io_context loop{1};
    ManualTimekeeper timekeeper;
    OneShot shot{timekeeper};
    std::optional<WakeReason> reason;
    boost::asio::co_spawn(loop, wait_in(shot, reason),
                          [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    loop.poll();

    boost::asio::post(loop, [&] {
        shot.signal_and_resume();
        EXPECT_EQ(reason, WakeReason::signalled);
    });
    loop.restart();
    loop.poll();

    EXPECT_FALSE(shot.is_scheduled());
}

TEST(AsioLifetimeTest, AResumingSignalBeforeTheWaitEndsItImmediately) {
    boost::asio::io_context loop{1};
    ManualTimekeeper timekeeper;
    OneShot shot{timekeeper};
    std::optional<WakeReason> reason;

    shot.signal_and_resume();
    boost::asio::co_spawn(loop, wait_in(shot, reason),
                          [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    loop.poll();

    EXPECT_EQ(reason, WakeReason::signalled);
}

}  // namespace
}  // namespace holdfast::resilience
