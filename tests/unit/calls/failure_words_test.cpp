// Compares the default texts of failures with a golden file.

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "calls/failure_mapping.hpp"
#include "support/golden.hpp"
#include "support/test_guard.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using resilience::CallEnding;
using resilience::RefusalReason;
using namespace std::chrono_literals;

const resilience::TimePoint kCallTime{1h};

/// A call of the tool `box__take` under the default policy.
class FailureWordsTest : public ::testing::Test {
protected:
    FailureWordsTest()
        : server_{.name = "box", .guard = testing::guard_with("box", "{}")},
          tool_{.server = &server_, .own_name = "take", .exposed_name = "box__take"} {
        plan_.server = &server_;
        plan_.callable = &tool_;
        plan_.request.method = "tools/call";
        plan_.rules = server_.guard->rules_for_tool("take", kCallTime);
    }
    [[nodiscard]] std::string words(PipelineOutcome end) const {
        return words_of(failure_of({.plan = plan_, .end = std::move(end)}, kCallTime)) + "\n";
    }
    [[nodiscard]] std::string refused(RefusalReason reason,
                                      std::optional<resilience::Duration> wait = {}) const {
        return words({.verdict = {.ending = CallEnding::refused,
                                  .refusal = resilience::Refusal{reason, wait},
                                  .retry_after = wait}});
    }
    [[nodiscard]] std::string timed_out(resilience::Delivery delivery) const {
        return words({.verdict = {.ending = CallEnding::timed_out, .attempts = 1},
                      .result = CallFault{.kind = CallFault::Kind::timed_out,
                                          .message = "\"box\" did not answer within 30 s",
                                          .delivery = delivery}});
    }

    surface::Server server_;
    surface::Callable tool_;
    CallPlan plan_;
};

TEST_F(FailureWordsTest, MatchTheGoldenFile) {
    std::string text;
    for (auto reason = RefusalReason::circuit_open; reason <= RefusalReason::key_limit_reached;
         reason = static_cast<RefusalReason>(static_cast<int>(reason) + 1)) {
        text += refused(reason);
    }
    text += refused(RefusalReason::circuit_open, 4'200ms);
    text += words({.verdict = {.ending = CallEnding::timed_out}});
    text += timed_out(resilience::Delivery::sent);
    text += timed_out(resilience::Delivery::not_sent);

    test::expect_golden("failure_words", text);
}

}  // namespace
}  // namespace holdfast::calls
