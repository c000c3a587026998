#include "guard/guarded_call.hpp"

#include "guard_world.hpp"

namespace holdfast::guard {
namespace {

constexpr const char* kOneAttempt =
    R"({"retry": "none", "circuit": {"failures": 2, "open": "10s"}})";

class GuardedCallTest : public GuardWorld {};

TEST_F(GuardedCallTest, PassesAnAnswerOn) {
    begin(kOneAttempt);

    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::answered);
}

TEST_F(GuardedCallTest, OpensItsCircuit) {
    begin(kOneAttempt);

    EXPECT_EQ(ended(lost(1)).ending, CallEnding::failed);
    EXPECT_EQ(ended(lost(2)).ending, CallEnding::failed);

    const CallVerdict refused = ended(answer_of("{}"));
    EXPECT_EQ(refused.ending, CallEnding::refused);
    EXPECT_EQ(refused.retry_after, 10s);
    virtual_.run_for(10s);
    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::answered);
}

TEST_F(GuardedCallTest, CallsThatAreLostTogetherAreOneFailure) {
    begin(kOneAttempt);

    EXPECT_EQ(ended(lost(7)).ending, CallEnding::failed);
    EXPECT_EQ(ended(lost(7)).ending, CallEnding::failed);
    EXPECT_EQ(ended(lost(7)).ending, CallEnding::failed);

    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::answered);
}

TEST_F(GuardedCallTest, AServerThatIsKnownToBeDownIsNotCounted) {
    begin(kOneAttempt);
    for (int count = 0; count < 5; ++count) {
        ended(CallFault{.kind = CallFault::Kind::not_connected});
    }

    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::answered);
}

TEST_F(GuardedCallTest, TriesAgainWhereThatIsSafe) {
    begin(R"({"retry": {"attempts": 3, "delay": "1s", "jitter": 0}})");
    const auto one = call("t", {.name = "box__t", .is_safe_to_repeat = true});

    ASSERT_TRUE(std::holds_alternative<StartAttempt>(one->start()));
    const PipelineStep step = one->on_attempt_end(lost(1));

    ASSERT_TRUE(std::holds_alternative<resilience::WaitBeforeRetry>(step));
    EXPECT_EQ(std::get<resilience::WaitBeforeRetry>(step).until, now() + 1s);
    EXPECT_EQ(one->error_class()->id, policy::ErrorClassId::connection_lost);
    ASSERT_EQ(observer_.retries.size(), 1U);
    EXPECT_EQ(observer_.retries.front().first, "box__t");
}

TEST_F(GuardedCallTest, TriesNothingAgainThatMayHaveHadAnEffect) {
    begin(R"({"retry": {"attempts": 3, "delay": "1s", "jitter": 0}})");
    const auto one = call("t", {.is_safe_to_repeat = false});

    ASSERT_TRUE(std::holds_alternative<StartAttempt>(one->start()));
    const PipelineStep step = one->on_attempt_end(lost(1));

    ASSERT_TRUE(std::holds_alternative<CallVerdict>(step));
    EXPECT_TRUE(std::get<CallVerdict>(step).side_effects_possible);
}

TEST_F(GuardedCallTest, WaitsForItsSlotAndIsWoken) {
    begin(R"({"retry": "none", "limit": {"inFlight": 1, "queue": 1, "wait": "5s"}})");
    auto first = call();
    ASSERT_TRUE(std::holds_alternative<StartAttempt>(first->start()));
    const auto second = call();
    PipelineStep step = second->start();
    ASSERT_TRUE(std::holds_alternative<resilience::WaitForSlot>(step));

    std::optional<PipelineStep> woken;
    boost::asio::co_spawn(virtual_.context, second->wait(std::get<resilience::WaitForSlot>(step)),
                          [&woken](const std::exception_ptr&, std::optional<PipelineStep> next) {
                              woken = std::move(next);
                          });
    virtual_.settle();
    EXPECT_FALSE(woken);
    EXPECT_EQ(guard()->queue().queued, 1U);
    first.reset();
    virtual_.settle();

    ASSERT_TRUE(woken);
    EXPECT_TRUE(std::holds_alternative<StartAttempt>(*woken));
    EXPECT_EQ(guard()->queue().queued, 0U);
}

TEST_F(GuardedCallTest, IsRefusedWhenTheQueueIsFull) {
    begin(R"({"retry": "none", "limit": {"inFlight": 1, "queue": 0}})");
    const auto first = call();
    ASSERT_TRUE(std::holds_alternative<StartAttempt>(first->start()));

    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::refused);
}

TEST_F(GuardedCallTest, LeavesTheGuardsWhileItsAgentIsAsked) {
    begin(R"({"retry": "none", "limit": {"inFlight": 1, "queue": 0}})");
    const auto asking = call();
    ASSERT_TRUE(std::holds_alternative<StartAttempt>(asking->start()));

    asking->leave();
    asking->leave();

    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::answered);
    const PipelineStep step = asking->on_attempt_end(lost(1));
    EXPECT_EQ(std::get<CallVerdict>(step).ending, CallEnding::failed);
    EXPECT_EQ(asking->error_class()->id, policy::ErrorClassId::connection_lost);
}

TEST_F(GuardedCallTest, GivesBackWhatItHoldsWhenItIsGivenUp) {
    begin(R"({"retry": "none", "limit": {"inFlight": 1, "queue": 0}})");
    auto given_up = call();
    ASSERT_TRUE(std::holds_alternative<StartAttempt>(given_up->start()));
    EXPECT_EQ(guard()->queue().in_flight, 1U);

    given_up.reset();

    EXPECT_EQ(guard()->queue().in_flight, 0U);
    EXPECT_EQ(ended(answer_of("{}")).ending, CallEnding::answered);
}

TEST_F(GuardedCallTest, EachPrincipalHasItsRate) {
    begin(R"({"retry": "none", "rateLimit": {"permits": 1, "per": "10s", "burst": 1}})");
    const auto refused = [this](std::string_view principal) {
        const PipelineStep step = call("t", {.principal = principal})->start();
        return std::holds_alternative<CallVerdict>(step);
    };

    EXPECT_FALSE(refused("alice"));
    EXPECT_TRUE(refused("alice"));
    EXPECT_FALSE(refused("bob"));
    virtual_.run_for(10s);
    EXPECT_FALSE(refused("alice"));
}

}  // namespace
}  // namespace holdfast::guard
