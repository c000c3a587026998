#include <thread>
#include <tuple>

#include "guard/guarded_call.hpp"
#include "guard_world.hpp"

namespace holdfast::guard {
namespace {

class SafeguardsThreadedTest : public GuardWorld {};

TEST_F(SafeguardsThreadedTest, TakesCallsOfSeveralThreads) {
    begin(R"({"retry": "none", "circuit": {"failures": 1000000},
              "limit": {"inFlight": 100, "queue": 0}})");
    constexpr int kCalls = 2'000;
    const auto work = [this](std::uint64_t first_loss) {
        resilience::testing::ManualTimekeeper timekeeper;
        boost::asio::io_context context;
        const net::OwningLoop own{.executor = context.get_executor(), .timekeeper = &timekeeper};
        const auto guard = safeguards_->guard_of("box", *book_);
        for (int count = 0; count < kCalls; ++count) {
            GuardedCall one{guard, guard->rules_for_tool("t", timekeeper.now()),
                            CallFacts{.name = "n"}, own};
            if (std::holds_alternative<StartAttempt>(one.start())) {
                std::ignore =
                    one.on_attempt_end(lost(first_loss + static_cast<std::uint64_t>(count)));
            }
        }
    };

    {
        const std::jthread one{work, 1'000'000};
        const std::jthread other{work, 2'000'000};
    }

    EXPECT_EQ(guard()->queue().in_flight, 0U);
    EXPECT_EQ(safeguards_->circuits(now()).front().status.consecutive_failures, 2U * kCalls);
}

}  // namespace
}  // namespace holdfast::guard
