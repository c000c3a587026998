#include "guard/attempt_look.hpp"

#include "guard_world.hpp"

namespace holdfast::guard {
namespace {

using policy::EndingKind;

TEST(AttemptLookTest, LooksIntoResultsOnlyIfThePolicyWantsIt) {
    const CallResult result = answer_of(R"({"content":[{"text":"rate limit"}],"isError":true})");
    policy::Policy policy;

    EXPECT_EQ(ending_of(result, policy).kind, EndingKind::result);
    policy.classifies_results = true;
    EXPECT_EQ(ending_of(result, policy).kind, EndingKind::error_result);
    EXPECT_EQ(ending_of(result, policy).text, R"([{"text":"rate limit"}])");
}

TEST(AttemptLookTest, HasAKindForEveryFault) {
    const auto kind_of = [](CallFault::Kind kind) {
        return ending_of(CallFault{.kind = kind}, policy::Policy{}).kind;
    };
    using Kind = CallFault::Kind;

    EXPECT_EQ(kind_of(Kind::not_connected), EndingKind::not_connected);
    EXPECT_EQ(kind_of(Kind::unreachable), EndingKind::connection_refused);
    EXPECT_EQ(kind_of(Kind::connection_lost), EndingKind::connection_lost);
    EXPECT_EQ(kind_of(Kind::timed_out), EndingKind::timed_out);
    EXPECT_EQ(kind_of(Kind::cancelled), EndingKind::cancelled);
    EXPECT_EQ(kind_of(Kind::malformed), EndingKind::malformed);
    EXPECT_EQ(kind_of(Kind::http_status), EndingKind::http_error);
    EXPECT_EQ(kind_of(Kind::unauthorized), EndingKind::http_error);
    EXPECT_EQ(kind_of(Kind::rate_limited), EndingKind::http_error);
    EXPECT_EQ(kind_of(Kind::overloaded), EndingKind::overloaded);
    EXPECT_EQ(kind_of(Kind::too_large), EndingKind::too_large);
    EXPECT_EQ(kind_of(Kind::stopping), EndingKind::stopping);
}

TEST(AttemptLookTest, TakesACredentialThatIsMissingForOneThatWasRefused) {
    const CallResult missing = CallFault{.kind = CallFault::Kind::unauthorized};

    EXPECT_EQ(ending_of(missing, policy::Policy{}).http_status, 401);
}

TEST(AttemptLookTest, KeepsWhatTheServerSaid) {
    const CallResult fault = CallFault{.kind = CallFault::Kind::rate_limited,
                                       .message = "Slow down",
                                       .delivery = resilience::Delivery::answered,
                                       .http_status = 429,
                                       .retry_after = 3s};

    const policy::Ending ending = ending_of(fault, policy::Policy{});

    EXPECT_EQ(ending.http_status, 429);
    EXPECT_EQ(ending.text, "Slow down");
    EXPECT_EQ(ending.retry_after, 3s);
    EXPECT_EQ(ending.delivery, resilience::Delivery::answered);
}

}  // namespace
}  // namespace holdfast::guard
