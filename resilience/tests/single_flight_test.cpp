#include "holdfast/resilience/single_flight.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/recording_waker.hpp"

namespace holdfast::resilience {
namespace {

using testing::RecordingWaker;

using Flights = SingleFlight<std::string, int>;
using Woken = std::vector<WaiterId>;

TEST(SingleFlightTest, TheFirstLeadsAndTheOthersFollow) {
    RecordingWaker waker;
    Flights flights{waker};

    const auto leader = flights.join("a", 1).value();
    const auto follower = flights.join("a", 2).value();
    const auto stranger = flights.join("b", 3).value();

    EXPECT_TRUE(leader.is_leader());
    EXPECT_FALSE(follower.is_leader());
    EXPECT_TRUE(stranger.is_leader());
    EXPECT_EQ(flights.size(), 2U);
    EXPECT_TRUE(waker.woken.empty());
}

TEST(SingleFlightTest, FollowersAreWokenWithTheValue) {
    RecordingWaker waker;
    Flights flights{waker};
    auto leader = flights.join("a", 1).value();
    const auto first = flights.join("a", 2).value();
    const auto second = flights.join("a", 3).value();
    const auto stranger = flights.join("b", 4).value();
    ASSERT_EQ(first.value(), nullptr);

    leader.finish(42);

    EXPECT_EQ(waker.woken, (Woken{2, 3}));
    for (const auto* ticket : {&std::as_const(leader), &first, &second}) {
        ASSERT_NE(ticket->value(), nullptr);
        EXPECT_EQ(*ticket->value(), 42);
        EXPECT_FALSE(ticket->is_leader());
    }
    EXPECT_EQ(stranger.value(), nullptr);
    EXPECT_EQ(flights.size(), 1U);
}

TEST(SingleFlightTest, TheValueOutlivesItsLeader) {
    RecordingWaker waker;
    Flights flights{waker};
    auto leader = std::make_optional(flights.join("a", 1).value());
    const auto follower = flights.join("a", 2).value();

    leader->finish(42);
    leader.reset();

    ASSERT_NE(follower.value(), nullptr);
    EXPECT_EQ(*follower.value(), 42);
    EXPECT_EQ(waker.woken, (Woken{2}));
}

TEST(SingleFlightTest, ALeaderThatGivesUpHandsOver) {
    RecordingWaker waker;
    Flights flights{waker};
    auto first = flights.join("a", 1).value();
    auto second = flights.join("a", 2).value();
    auto third = flights.join("a", 3).value();

    first.leave();
    EXPECT_EQ(waker.woken, (Woken{2}));
    EXPECT_TRUE(second.is_leader());
    EXPECT_EQ(second.value(), nullptr);
    EXPECT_FALSE(third.is_leader());
    second.finish(7);

    EXPECT_EQ(waker.woken, (Woken{2, 3}));
    EXPECT_EQ(*third.value(), 7);
}

TEST(SingleFlightTest, AFollowerThatGivesUpDoesNotAffectOthers) {
    RecordingWaker waker;
    Flights flights{waker};
    auto leader = flights.join("a", 1).value();
    auto leaving = flights.join("a", 2).value();
    const auto staying = flights.join("a", 3).value();

    leaving.leave();
    EXPECT_TRUE(waker.woken.empty());
    EXPECT_TRUE(leader.is_leader());
    leader.finish(7);

    EXPECT_EQ(waker.woken, (Woken{3}));
}

TEST(SingleFlightTest, ALateJoinerStartsANewFlight) {
    RecordingWaker waker;
    Flights flights{waker};
    auto early = flights.join("a", 1).value();
    const auto follower = flights.join("a", 2).value();
    early.finish(1);

    auto late = flights.join("a", 3).value();
    EXPECT_TRUE(late.is_leader());
    EXPECT_EQ(late.value(), nullptr);
    EXPECT_EQ(flights.size(), 1U);

    // Leaving the ended flight does not affect the new one of the same key.
    early.leave();
    EXPECT_EQ(flights.size(), 1U);
    late.finish(2);
    EXPECT_EQ(*follower.value(), 1);
    EXPECT_EQ(*late.value(), 2);
    EXPECT_EQ(flights.size(), 0U);
}

TEST(SingleFlightTest, DroppingTicketsAtAnyStepLeavesNoTrace) {
    enum Step { kLed, kFollowed, kHandedOver, kFinished, kEnd };
    for (int last = kLed; last < kEnd; ++last) {
        RecordingWaker waker;
        Flights flights{waker};
        {
            auto leader = flights.join("a", 1).value();
            std::optional<Flights::Ticket> follower;
            if (last >= kFollowed) {
                follower = flights.join("a", 2).value();
            }
            if (last >= kHandedOver) {
                leader.leave();
                leader.leave();
            }
            if (last >= kFinished) {
                follower->finish(5);
            }
        }

        EXPECT_EQ(flights.size(), 0U) << last;
        EXPECT_TRUE(flights.join("a", 3).value().is_leader()) << last;
    }
}

TEST(SingleFlightTest, MovingATicketKeepsOneTicket) {
    RecordingWaker waker;
    Flights flights{waker};
    auto leader = flights.join("a", 1).value();
    auto other = flights.join("b", 2).value();

    auto moved = std::move(leader);
    EXPECT_TRUE(moved.is_leader());
    EXPECT_EQ(flights.size(), 2U);
    moved = std::move(other);
    EXPECT_TRUE(moved.is_leader());
    EXPECT_EQ(flights.size(), 1U);
    moved.finish(3);

    EXPECT_EQ(flights.size(), 0U);
}

TEST(SingleFlightTest, LimitsTheKeys) {
    RecordingWaker waker;
    Flights flights{waker, {.max_keys = 2, .max_followers = 5}};
    auto first = flights.join("a", 1).value();
    const auto second = flights.join("b", 2).value();

    const auto refused = flights.join("c", 3);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), (Refusal{RefusalReason::key_limit_reached, std::nullopt}));
    EXPECT_TRUE(flights.join("b", 4).has_value());
    first.leave();
    EXPECT_TRUE(flights.join("c", 5).has_value());
}

TEST(SingleFlightTest, LimitsTheFollowersOfAKey) {
    RecordingWaker waker;
    Flights flights{waker, {.max_keys = 5, .max_followers = 2}};
    const auto leader = flights.join("a", 1).value();
    auto follower = flights.join("a", 2).value();
    const auto other = flights.join("a", 3).value();

    EXPECT_FALSE(flights.join("a", 4).has_value());
    EXPECT_TRUE(flights.join("b", 5).has_value());
    follower.leave();
    EXPECT_TRUE(flights.join("a", 6).has_value());
}

TEST(SingleFlightTest, SharesValuesThatCannotBeCopied) {
    RecordingWaker waker;
    SingleFlight<int, std::unique_ptr<int>> flights{waker};
    auto leader = flights.join(1, 1).value();
    const auto follower = flights.join(1, 2).value();

    leader.finish(std::make_unique<int>(9));

    EXPECT_EQ(**follower.value(), 9);
}

TEST(SingleFlightDeathTest, MisuseAborts) {
    RecordingWaker waker;
    Flights flights{waker};
    auto leader = flights.join("a", 1).value();
    auto follower = flights.join("a", 2).value();
    auto gone = flights.join("a", 3).value();
    gone.leave();

    EXPECT_DEATH(follower.finish(1), "expectation failed: is_leader");
    EXPECT_DEATH(std::ignore = gone.value(), "expectation failed: owner_ != nullptr");
    EXPECT_DEATH(
        {
            leader.finish(1);
            leader.finish(2);
        },
        "expectation failed: is_leader");
    EXPECT_DEATH(
        {
            auto short_lived = std::make_unique<Flights>(waker);
            const auto outlives = short_lived->join("a", 1);
            short_lived.reset();
        },
        "expectation failed: tickets_ == 0");
    EXPECT_DEATH(Flights(waker, {.max_keys = 0}), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
