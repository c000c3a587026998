#include "platform/job_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/gate.hpp"

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;

/// A job that hangs until the gate is open.
JobThread::Job gated(std::shared_ptr<test::Gate> gate) {
    return [gate = std::move(gate)](JobThread::Worker&) { gate->pass(); };
}

TEST(JobThreadTest, RunsJobsInOrder) {
    std::promise<std::vector<std::string>> promise;
    std::vector<std::string> run;
    JobThread thread{{}};

    for (const std::string text : {"one", "two", "three"}) {
        EXPECT_TRUE(thread.try_run([&run, &promise, text](JobThread::Worker&) {
            run.push_back(text);
            if (text == "three") {
                promise.set_value(run);
            }
        }));
    }

    EXPECT_EQ(promise.get_future().get(), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(JobThreadTest, QueuesNoMoreThanTheLimitBehindAJobThatHangs) {
    const auto gate = std::make_shared<test::Gate>();
    JobThread thread{{.max_queued = 2}};
    EXPECT_TRUE(thread.try_run(gated(gate)));
    gate->wait_until_entered();
    const auto nothing = [](JobThread::Worker&) {};

    EXPECT_TRUE(thread.try_run(nothing, 1));
    EXPECT_FALSE(thread.try_run(nothing, 1)) << "the other slot is for other jobs";
    EXPECT_TRUE(thread.try_run(nothing));
    EXPECT_FALSE(thread.try_run(nothing));

    gate->open();
}

TEST(JobThreadTest, DropsJobsThatHaveNotBegunWhenItStops) {
    const auto gate = std::make_shared<test::Gate>();
    const auto held = std::make_shared<int>();
    auto thread = std::make_unique<JobThread>(JobThreadOptions{.finish_within = 1ms});
    EXPECT_TRUE(thread->try_run(gated(gate)));
    gate->wait_until_entered();
    EXPECT_TRUE(thread->try_run([held](JobThread::Worker&) { FAIL(); }));

    thread->stop();

    EXPECT_EQ(held.use_count(), 1) << "the job is destroyed";
    EXPECT_FALSE(thread->try_run([](JobThread::Worker&) {}));
    thread.reset();
    gate->open();
}

}  // namespace
}  // namespace holdfast::platform
