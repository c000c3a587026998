#include "downstream/start_slots.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <tuple>
#include <vector>

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using Ticket = StartSlots::Ticket;

constexpr std::uint64_t kSeed = 1;

std::vector<Ticket> granted(StartSlots& slots) {
    std::vector<Ticket> tickets;
    for (const StartSlots::Grant& grant : slots.take_grants()) {
        tickets.push_back(grant.ticket);
    }
    return tickets;
}

std::vector<Ticket> join(StartSlots& slots, int count) {
    std::vector<Ticket> tickets;
    for (int i = 0; i < count; ++i) {
        tickets.push_back(slots.join());
    }
    return tickets;
}

TEST(StartSlotsTest, StartsAsManyAsAllowedInTheOrderOfArrival) {
    StartSlots slots{{.parallel_starts = 2}, kSeed};
    const auto tickets = join(slots, 4);

    EXPECT_EQ(granted(slots), (std::vector{tickets[0], tickets[1]}));
    EXPECT_TRUE(granted(slots).empty());
    EXPECT_EQ(slots.running(), 2U);
    EXPECT_EQ(slots.waiting(), 2U);

    slots.leave(tickets[1]);
    EXPECT_EQ(granted(slots), std::vector{tickets[2]});
}

TEST(StartSlotsTest, StartsThatSomeoneWaitsForComeFirstAndKeepTheirOrder) {
    StartSlots slots{{.parallel_starts = 1}, kSeed};
    const auto tickets = join(slots, 4);
    EXPECT_EQ(granted(slots), std::vector{tickets[0]});
    slots.prefer(tickets[3]);
    slots.prefer(tickets[2]);

    std::vector<Ticket> order;
    Ticket running = tickets[0];
    while (slots.waiting() > 0) {
        slots.leave(running);
        running = granted(slots).at(0);
        order.push_back(running);
    }

    EXPECT_EQ(order, (std::vector{tickets[3], tickets[2], tickets[1]}));
}

TEST(StartSlotsTest, AStartThatLeavesTheQueueTakesNoSlot) {
    StartSlots slots{{.parallel_starts = 1}, kSeed};
    const auto tickets = join(slots, 3);
    EXPECT_EQ(granted(slots), std::vector{tickets[0]});

    slots.leave(tickets[1]);
    slots.leave(tickets[0]);
    slots.leave(tickets[0]);

    EXPECT_EQ(granted(slots), std::vector{tickets[2]});
    EXPECT_EQ(slots.running(), 1U);
}

TEST(StartSlotsTest, DelaysAreRandomAndBounded) {
    StartSlots slots{{.parallel_starts = 100, .max_jitter = 500ms}, kSeed};
    const auto tickets = join(slots, 100);
    resilience::Duration shortest = 1h;
    resilience::Duration longest = 0s;

    for (const StartSlots::Grant& grant : slots.take_grants()) {
        shortest = std::min(shortest, grant.delay);
        longest = std::max(longest, grant.delay);
    }

    EXPECT_GE(shortest, 0s);
    EXPECT_LE(longest, 500ms);
    EXPECT_GT(longest - shortest, 250ms);
}

TEST(StartSlotsTest, AStartWithoutOthersBeginsAtOnce) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        StartSlots slots{{.max_jitter = 500ms}, seed};
        const auto tickets = join(slots, 2);

        const auto grants = slots.take_grants();

        ASSERT_EQ(grants.size(), 2U);
        EXPECT_EQ(grants[0].delay, 0s);
        EXPECT_GT(grants[1].delay, 0s);
        slots.leave(tickets[0]);
        slots.leave(tickets[1]);
        std::ignore = slots.join();
        EXPECT_EQ(slots.take_grants().at(0).delay, 0s);
    }
}

}  // namespace
}  // namespace holdfast::downstream
