#include "calls/attempt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "asio/virtual_loop.hpp"
#include "downstream/downstream.hpp"
#include "support/gateway/fake_server.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using downstream::CallResult;
using resilience::Deadline;
using test::legacy_result;
using namespace std::chrono_literals;

/// Takes the role of the call that owns the attempt.
struct Owner final : downstream::CallObserver {
    explicit Owner(const net::OwningLoop& loop) : attempt(loop, *this) {}

    void on_notification(downstream::Notification notification) override {
        notified.push_back(std::move(notification.method));
    }
    void on_question(downstream::Question question) override {
        questions.push_back(std::move(question));
    }
    void on_result(CallResult result) override { results.push_back(std::move(result)); }

    std::vector<std::string> notified;
    std::vector<downstream::Question> questions;
    std::vector<CallResult> results;
    Attempt attempt;
};

class AttemptTest : public ::testing::Test {
protected:
    AttemptTest() {
        target.downstream->start();
        loop.run_for(100ms);
    }
    ~AttemptTest() override {
        target.downstream.reset();
        loop.run_for(1min);
        server->calls.clear();
    }

    void start(AttemptOptions options = {}) {
        options.deadline = Deadline::after(loop.timekeeper.now(), 10s);
        options.call_deadline = Deadline::after(loop.timekeeper.now(), 60s);
        options.timeout = 10s;
        owner->attempt.start({owner, &owner->attempt}, target, {.method = "tools/call"}, options);
        loop.settle();
    }
    void answer(CallResult result) {
        server->last().answer(std::move(result));
        loop.settle();
    }
    [[nodiscard]] const CallFault& fault() const { return owner->results.at(0).error(); }

    resilience::testing::VirtualLoop loop;
    const net::OwningLoop home{.executor = loop.context.get_executor(),
                               .timekeeper = &loop.timekeeper};
    std::shared_ptr<test::FakeServer> server = std::make_shared<test::FakeServer>();
    surface::Server target{
        .name = "box",
        .downstream = downstream::Downstream::make(home, std::make_unique<test::FakeOpener>(server),
                                                   {.name = "box"}, {})};
    std::shared_ptr<Owner> owner = std::make_shared<Owner>(home);
};

TEST_F(AttemptTest, ReportsTheAnswerOnce) {
    start();
    ASSERT_TRUE(owner->attempt.is_running());
    answer(legacy_result("{}"));
    loop.run_for(1min);

    ASSERT_EQ(owner->results.size(), 1U);
    EXPECT_TRUE(owner->results[0]);
    EXPECT_FALSE(owner->attempt.is_running());
}

TEST_F(AttemptTest, CancelsTheRequestAtTheDeadline) {
    start();
    loop.run_for(9'999ms);
    EXPECT_TRUE(owner->results.empty());
    loop.run_for(1ms);

    EXPECT_TRUE(server->last().is_cancelled);
    ASSERT_EQ(owner->results.size(), 1U);
    EXPECT_EQ(fault().kind, CallFault::Kind::timed_out);
    EXPECT_EQ(fault().delivery, resilience::Delivery::sent);
    EXPECT_EQ(fault().brief, "no answer within 10 s");
}

TEST_F(AttemptTest, ProgressStartsTheTimeoutAgainWithinTheCallsDeadline) {
    start({.progress_resets = true});
    for (int count = 0; count < 6; ++count) {
        loop.run_for(9s);
        server->last().notify("notifications/progress", R"({"progress":1})");
    }
    EXPECT_TRUE(owner->results.empty());
    EXPECT_EQ(owner->notified.size(), 6U);
    loop.run_for(6s);

    ASSERT_EQ(owner->results.size(), 1U);
    EXPECT_EQ(fault().kind, CallFault::Kind::timed_out);
}

TEST_F(AttemptTest, OtherNotificationsDoNotExtendTheTimeout) {
    start({.progress_resets = true});
    loop.run_for(9s);
    server->last().notify("notifications/message", "{}");
    loop.run_for(1s);

    EXPECT_EQ(owner->results.size(), 1U);
}

TEST_F(AttemptTest, TimeStandsStillWhilePaused) {
    start();
    loop.run_for(9s);
    owner->attempt.pause();
    loop.run_for(1h);
    EXPECT_TRUE(owner->results.empty());

    owner->attempt.resume(Deadline::after(loop.timekeeper.now(), 1min));
    loop.run_for(999ms);
    EXPECT_TRUE(owner->results.empty());
    loop.run_for(1ms);

    EXPECT_EQ(owner->results.size(), 1U);
}

TEST_F(AttemptTest, AnAbandonedAttemptIsCancelledAndReportsNothing) {
    start();
    owner->attempt.abandon();
    loop.run_for(1min);

    EXPECT_TRUE(server->last().is_cancelled);
    EXPECT_TRUE(owner->results.empty());
    EXPECT_FALSE(owner->attempt.is_running());
}

TEST_F(AttemptTest, RequestsTheResultOfATask) {
    start({.runs_as_task = true});
    answer(legacy_result(R"({"task":{"taskId":"x","status":"working"}})"));

    EXPECT_TRUE(owner->results.empty());
    ASSERT_EQ(server->calls.size(), 2U);
    EXPECT_EQ(server->last().request.method, "tasks/result");
    EXPECT_EQ(server->last().request.params_members, R"("taskId":"x")");
    answer(legacy_result(R"({"task":{"taskId":"y"}})"));
    EXPECT_EQ(owner->results.size(), 1U);
    EXPECT_EQ(server->calls.size(), 2U);
}

TEST_F(AttemptTest, ATaskThatIsAnnouncedAfterTheDeadlineIsNotTheAnswer) {
    server->is_stuck = true;
    start({.runs_as_task = true});
    loop.run_for(10s);
    answer(legacy_result(R"({"task":{"taskId":"x","status":"working"}})"));

    ASSERT_EQ(owner->results.size(), 1U);
    ASSERT_FALSE(owner->results[0]);
    EXPECT_EQ(fault().kind, CallFault::Kind::timed_out);
    EXPECT_EQ(fault().delivery, resilience::Delivery::sent);
    EXPECT_EQ(server->calls.size(), 1U);
}

TEST_F(AttemptTest, AnAnswerThatCrossesTheCancellationIsPassedOn) {
    server->is_stuck = true;
    start({.runs_as_task = true});
    loop.run_for(10s);
    answer(legacy_result(R"({"content":[]})"));

    ASSERT_EQ(owner->results.size(), 1U);
    EXPECT_TRUE(owner->results[0]);
}

TEST_F(AttemptTest, ARequestThatCannotBeCancelledIsGivenUp) {
    server->is_stuck = true;
    start();
    loop.run_for(11s);

    ASSERT_EQ(owner->results.size(), 1U);
    EXPECT_EQ(fault().kind, CallFault::Kind::timed_out);
    EXPECT_TRUE(fault().is_final);
    answer(legacy_result("{}"));
    EXPECT_EQ(owner->results.size(), 1U);
}

TEST_F(AttemptTest, CanBeUsedAgain) {
    start();
    answer(CallFault{.kind = CallFault::Kind::connection_lost});
    start();
    answer(legacy_result("{}"));

    ASSERT_EQ(owner->results.size(), 2U);
    EXPECT_FALSE(owner->results[0]);
    EXPECT_TRUE(owner->results[1]);
}

}  // namespace
}  // namespace holdfast::calls
