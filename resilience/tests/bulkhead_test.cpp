#include "holdfast/resilience/bulkhead.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/manual_clock.hpp"
#include "support/recording_waker.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::ManualClock;
using testing::RecordingWaker;

using Woken = std::vector<WaiterId>;

class BulkheadTest : public ::testing::Test {
protected:
    Bulkhead::Admission enter(Bulkhead& bulkhead, WaiterId waiter) {
        return bulkhead.enter(waiter, Deadline::never(), clock_.now());
    }
    Bulkhead::Slot slot(Bulkhead& bulkhead, WaiterId waiter) {
        return std::get<Bulkhead::Slot>(enter(bulkhead, waiter));
    }
    Bulkhead::Place place(Bulkhead& bulkhead, WaiterId waiter) {
        return std::get<Bulkhead::Place>(enter(bulkhead, waiter));
    }

    ManualClock clock_;
    RecordingWaker waker_;
};

TEST_F(BulkheadTest, AdmitsThenQueuesThenRefuses) {
    Bulkhead bulkhead{{.max_in_flight = 2, .max_queue = 2}, &waker_};
    std::vector<Bulkhead::Admission> admissions;
    for (WaiterId waiter = 1; waiter <= 5; ++waiter) {
        admissions.push_back(enter(bulkhead, waiter));
    }

    EXPECT_TRUE(std::holds_alternative<Bulkhead::Slot>(admissions[0]));
    EXPECT_TRUE(std::holds_alternative<Bulkhead::Slot>(admissions[1]));
    EXPECT_TRUE(std::holds_alternative<Bulkhead::Place>(admissions[2]));
    EXPECT_TRUE(std::holds_alternative<Bulkhead::Place>(admissions[3]));
    EXPECT_EQ(std::get<Refusal>(admissions[4]), (Refusal{RefusalReason::queue_full, std::nullopt}));
    EXPECT_EQ(bulkhead.in_flight(), 2U);
    EXPECT_EQ(bulkhead.queued(), 2U);
    EXPECT_TRUE(waker_.woken.empty());
}

TEST_F(BulkheadTest, WithoutAQueueRefusesImmediately) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 0}};
    auto held = std::make_optional(slot(bulkhead, 1));

    EXPECT_TRUE(std::holds_alternative<Refusal>(enter(bulkhead, 2)));
    held.reset();
    EXPECT_TRUE(std::holds_alternative<Bulkhead::Slot>(enter(bulkhead, 3)));
}

TEST_F(BulkheadTest, ServesTheQueueInOrderOfArrival) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 10}, &waker_};
    auto held = slot(bulkhead, 1);
    std::vector<Bulkhead::Place> places;
    for (WaiterId waiter = 2; waiter <= 5; ++waiter) {
        places.push_back(place(bulkhead, waiter));
    }

    for (std::size_t next = 0; next < places.size(); ++next) {
        held.leave();
        for (std::size_t other = next; other < places.size(); ++other) {
            ASSERT_EQ(places[other].is_granted(), other == next);
        }
        held = places[next].claim();
    }

    EXPECT_EQ(waker_.woken, (Woken{2, 3, 4, 5}));
}

TEST_F(BulkheadTest, AGrantedPlaceCountsAsInFlightBeforeItIsClaimed) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 1}, &waker_};
    auto held = slot(bulkhead, 1);
    auto waiting = place(bulkhead, 2);

    held.leave();

    EXPECT_TRUE(waiting.is_granted());
    EXPECT_EQ(bulkhead.in_flight(), 1U);
    EXPECT_EQ(bulkhead.queued(), 0U);
    // A new caller cannot take the reserved slot.
    EXPECT_TRUE(std::holds_alternative<Bulkhead::Place>(enter(bulkhead, 3)));
    auto claimed = waiting.claim();
    EXPECT_EQ(bulkhead.in_flight(), 1U);
    claimed.leave();
    EXPECT_EQ(bulkhead.in_flight(), 0U);
}

TEST_F(BulkheadTest, ACancelledWaiterNeverTakesASlot) {
    for (std::size_t cancelled = 0; cancelled < 3; ++cancelled) {
        RecordingWaker waker;
        Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 3}, &waker};
        auto held = slot(bulkhead, 9);
        std::vector<std::optional<Bulkhead::Place>> places;
        Woken expected;
        for (WaiterId waiter = 0; waiter < 3; ++waiter) {
            places.emplace_back(place(bulkhead, waiter));
            if (waiter != cancelled) {
                expected.push_back(waiter);
            }
        }

        places[cancelled].reset();
        EXPECT_EQ(bulkhead.queued(), 2U);
        EXPECT_TRUE(waker.woken.empty());
        held.leave();
        places[expected[0]].reset();
        places[expected[1]].reset();

        EXPECT_EQ(waker.woken, expected);
        EXPECT_EQ(bulkhead.in_flight(), 0U);
    }
}

TEST_F(BulkheadTest, AnAbandonedGrantPassesToTheNextWaiter) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 3}, &waker_};
    auto held = slot(bulkhead, 1);
    auto first = std::make_optional(place(bulkhead, 2));
    auto second = place(bulkhead, 3);
    held.leave();
    ASSERT_TRUE(first->is_granted());

    first.reset();

    EXPECT_TRUE(second.is_granted());
    EXPECT_EQ(waker_.woken, (Woken{2, 3}));
    EXPECT_EQ(bulkhead.in_flight(), 1U);
}

TEST_F(BulkheadTest, WaitsUntilTheEarlierOfMaximumWaitAndDeadline) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 10, .max_wait = 5s}, &waker_};
    const auto held = slot(bulkhead, 1);
    struct Row {
        Deadline deadline;
        TimePoint expected;
    };
    const TimePoint now = clock_.now();
    const std::vector<Row> rows{
        {Deadline::never(), now + 5s},      {Deadline::at(now + 9s), now + 5s},
        {Deadline::at(now + 5s), now + 5s}, {Deadline::at(now + 2s), now + 2s},
        {Deadline::at(now), now},           {Deadline::at(now - 1s), now - 1s},
    };

    for (const Row& row : rows) {
        const auto admission = bulkhead.enter(2, row.deadline, now);
        EXPECT_EQ(std::get<Bulkhead::Place>(admission).until(), row.expected);
    }
}

TEST_F(BulkheadTest, DroppingTheGuardAtAnyStepLeavesNoTrace) {
    enum Step { kEntered, kGranted, kClaimed, kLeft, kEnd };
    for (int last = kEntered; last < kEnd; ++last) {
        Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 1}, &waker_};
        {
            auto held = std::make_optional(slot(bulkhead, 1));
            auto waiting = place(bulkhead, 2);
            std::optional<Bulkhead::Slot> claimed;
            if (last >= kGranted) {
                held.reset();
            }
            if (last >= kClaimed) {
                claimed = waiting.claim();
            }
            if (last >= kLeft) {
                claimed->leave();
                claimed->leave();
            }
        }

        EXPECT_EQ(bulkhead.in_flight(), 0U) << last;
        EXPECT_EQ(bulkhead.queued(), 0U) << last;
        EXPECT_TRUE(std::holds_alternative<Bulkhead::Slot>(enter(bulkhead, 3))) << last;
    }
}

TEST_F(BulkheadTest, MovingAGuardKeepsOneGuard) {
    Bulkhead bulkhead{{.max_in_flight = 2, .max_queue = 2}, &waker_};
    auto first = slot(bulkhead, 1);
    auto second = slot(bulkhead, 2);
    auto third = place(bulkhead, 3);
    auto fourth = place(bulkhead, 4);

    auto moved_place = std::move(fourth);
    EXPECT_EQ(bulkhead.queued(), 2U);
    moved_place = std::move(third);
    EXPECT_EQ(bulkhead.queued(), 1U);
    EXPECT_EQ(bulkhead.in_flight(), 2U);
    auto moved_slot = std::move(first);
    EXPECT_EQ(bulkhead.in_flight(), 2U);
    moved_slot = std::move(second);

    EXPECT_EQ(waker_.woken, (Woken{3}));
    EXPECT_TRUE(moved_place.is_granted());
    EXPECT_EQ(bulkhead.in_flight(), 2U);
}

TEST_F(BulkheadTest, ALargerBulkheadWakesWaitersImmediately) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 4}, &waker_};
    const auto held = slot(bulkhead, 1);
    std::vector<Bulkhead::Place> places;
    for (WaiterId waiter = 2; waiter <= 5; ++waiter) {
        places.push_back(place(bulkhead, waiter));
    }

    bulkhead.reconfigure({.max_in_flight = 3, .max_queue = 4});

    EXPECT_EQ(waker_.woken, (Woken{2, 3}));
    EXPECT_EQ(bulkhead.in_flight(), 3U);
    EXPECT_EQ(bulkhead.queued(), 2U);
    EXPECT_EQ(bulkhead.options().max_in_flight, 3U);
}

TEST_F(BulkheadTest, ASmallerBulkheadAdmitsNoCallUntilEnoughHaveLeft) {
    Bulkhead bulkhead{{.max_in_flight = 3, .max_queue = 4}, &waker_};
    std::vector<Bulkhead::Slot> slots;
    for (WaiterId waiter = 1; waiter <= 3; ++waiter) {
        slots.push_back(slot(bulkhead, waiter));
    }
    auto first = place(bulkhead, 4);
    auto second = place(bulkhead, 5);

    bulkhead.reconfigure({.max_in_flight = 1, .max_queue = 1});

    EXPECT_EQ(bulkhead.in_flight(), 3U);
    EXPECT_EQ(bulkhead.queued(), 2U);
    EXPECT_TRUE(std::holds_alternative<Refusal>(enter(bulkhead, 6)));
    slots.pop_back();
    slots.pop_back();
    EXPECT_TRUE(waker_.woken.empty());
    slots.pop_back();
    EXPECT_EQ(waker_.woken, (Woken{4}));
    EXPECT_FALSE(second.is_granted());
}

TEST_F(BulkheadTest, WaitersMayPollInsteadOfBeingWoken) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 1}};
    auto held = slot(bulkhead, 1);
    auto waiting = place(bulkhead, 2);

    EXPECT_FALSE(waiting.is_granted());
    held.leave();
    EXPECT_TRUE(waiting.is_granted());
}

/// A bulkhead whose calls wait until their deadline: one slot, and three places in the queue.
class DeadlineWaitTest : public BulkheadTest {
protected:
    Bulkhead::Admission enter_for(WaiterId waiter, Duration limit) {
        return bulkhead_.enter(waiter, Deadline::after(clock_.now(), limit), clock_.now());
    }
    Bulkhead::Place wait_for(WaiterId waiter, Duration limit) {
        return std::get<Bulkhead::Place>(enter_for(waiter, limit));
    }
    /// Serves calls of two seconds, until the rate is known, and returns the slot of another.
    Bulkhead::Slot learn_two_seconds() {
        auto slot = std::get<Bulkhead::Slot>(enter_for(0, 40s));
        for (int call = 0; call < 4; ++call) {
            auto next = wait_for(0, 40s);
            clock_.advance(2s);
            slot.leave(clock_.now());
            slot = next.claim();
        }
        waker_.woken.clear();
        return slot;
    }
    /// More calls arrive than leave for half a deadline. Returns the places of waiting calls.
    std::vector<Bulkhead::Place> overload(Bulkhead::Slot& slot) {
        std::vector<Bulkhead::Place> waiting;
        waiting.push_back(wait_for(1, 40s));
        for (int eighth = 0; eighth < 4; ++eighth) {
            auto next = wait_for(9, 40s);
            std::ignore = enter_for(9, 1ms);
            clock_.advance(5s);
            next.abandon();
        }
        slot.leave(clock_.now());
        slot = waiting.front().claim();
        waiting.clear();
        waker_.woken.clear();
        for (WaiterId waiter = 1; waiter <= 3; ++waiter) {
            waiting.push_back(wait_for(waiter, 40s));
        }
        return waiting;
    }

    Bulkhead bulkhead_{{.max_in_flight = 1, .max_queue = 3, .max_wait = std::nullopt}, &waker_};
};

TEST_F(DeadlineWaitTest, APlaceIsValidUntilTheDeadline) {
    const auto held = std::get<Bulkhead::Slot>(enter_for(1, 40s));

    EXPECT_EQ(wait_for(2, 40s).until(), clock_.now() + 40s);
}

TEST_F(DeadlineWaitTest, ACallThatWouldEndAfterItsDeadlineIsRefusedImmediately) {
    const auto held = learn_two_seconds();
    const auto first = wait_for(1, 40s);

    // One call in flight, one in the queue, and this one.
    EXPECT_EQ(std::get<Refusal>(enter_for(2, 6s - 1ns)),
              (Refusal{RefusalReason::queue_too_slow, 6s}));
    EXPECT_TRUE(std::holds_alternative<Bulkhead::Place>(enter_for(2, 6s)));
}

TEST_F(DeadlineWaitTest, WhileTheRateIsUnknownACallWaits) {
    const auto held = std::get<Bulkhead::Slot>(enter_for(1, 40s));
    const auto first = wait_for(2, 40s);
    clock_.advance(30s);

    EXPECT_TRUE(std::holds_alternative<Bulkhead::Place>(enter_for(3, 1ms)));
}

TEST_F(DeadlineWaitTest, AFixedWaitIsNotRefusedByTheRate) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 3, .max_wait = 5s}, &waker_};
    auto slot = std::get<Bulkhead::Slot>(enter(bulkhead, 1));
    for (int call = 0; call < 10; ++call) {
        auto next = place(bulkhead, 2);
        clock_.advance(4s);
        slot.leave(clock_.now());
        slot = next.claim();
    }

    const auto admission = bulkhead.enter(3, Deadline::after(clock_.now(), 1s), clock_.now());

    EXPECT_TRUE(std::holds_alternative<Bulkhead::Place>(admission));
}

TEST_F(DeadlineWaitTest, InLastingOverloadTheNewestCallGoesFirst) {
    auto held = std::get<Bulkhead::Slot>(enter_for(8, 40s));
    const auto waiting = overload(held);

    held.leave(clock_.now());

    EXPECT_EQ(waker_.woken, (Woken{3}));
    EXPECT_TRUE(waiting.back().is_granted());
    EXPECT_FALSE(waiting.front().is_granted());
}

TEST_F(DeadlineWaitTest, InLastingOverloadAFullQueueDropsItsOldestCall) {
    auto held = std::get<Bulkhead::Slot>(enter_for(8, 40s));
    const auto waiting = overload(held);

    const auto newest = wait_for(4, 40s);

    EXPECT_EQ(waker_.woken, (Woken{1}));
    EXPECT_TRUE(waiting.front().is_displaced());
    EXPECT_FALSE(waiting.front().is_granted());
    EXPECT_EQ(bulkhead_.queued(), 3U);
    held.leave(clock_.now());
    EXPECT_TRUE(newest.is_granted());
}

TEST_F(DeadlineWaitTest, OrderOfArrivalReturnsWithAFreeSlot) {
    auto held = std::get<Bulkhead::Slot>(enter_for(8, 40s));
    overload(held).clear();
    held.leave(clock_.now());

    held = std::get<Bulkhead::Slot>(enter_for(8, 40s));
    const auto first = wait_for(1, 40s);
    const auto second = wait_for(2, 40s);
    held.leave(clock_.now());

    EXPECT_TRUE(first.is_granted());
    EXPECT_FALSE(second.is_granted());
}

using BulkheadDeathTest = BulkheadTest;

TEST_F(BulkheadDeathTest, MisuseAborts) {
    Bulkhead bulkhead{{.max_in_flight = 1, .max_queue = 2}, &waker_};
    const auto held = slot(bulkhead, 1);
    auto waiting = place(bulkhead, 2);
    auto left = place(bulkhead, 3);
    left.abandon();

    EXPECT_DEATH(std::ignore = waiting.claim(), "expectation failed: is_granted");
    EXPECT_DEATH(std::ignore = left.is_granted(), "expectation failed: bulkhead_ != nullptr");
    EXPECT_DEATH(
        {
            auto short_lived = std::make_unique<Bulkhead>();
            const auto outlives = enter(*short_lived, 1);
            short_lived.reset();
        },
        "expectation failed: in_flight_ == 0");
    EXPECT_DEATH(Bulkhead({.max_in_flight = 0}), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
