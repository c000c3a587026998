// Wakers that call straight back into the bulkhead which woke them.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/bulkhead.hpp"
#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;

/// Runs the test's reaction inside the call.
class ReactingWaker final : public Waker {
public:
    void wake(WaiterId waiter) override {
        woken.push_back(waiter);
        if (react) {
            react(waiter);
        }
    }

    std::function<void(WaiterId)> react;
    std::vector<WaiterId> woken;
};

class BulkheadReentrancyTest : public ::testing::Test {
protected:
    void TearDown() override { waker_.react = nullptr; }

    Bulkhead::Admission enter(WaiterId waiter) {
        return bulkhead_.enter(waiter, Deadline::never(), clock_.now());
    }
    void queue(WaiterId first, WaiterId last) {
        for (WaiterId waiter = first; waiter <= last; ++waiter) {
            places_.emplace(waiter, std::get<Bulkhead::Place>(enter(waiter)));
        }
    }

    ManualClock clock_;
    ReactingWaker waker_;
    Bulkhead bulkhead_{{.max_in_flight = 1, .max_queue = 8}, &waker_};
    std::map<WaiterId, Bulkhead::Place> places_;
    std::map<WaiterId, Bulkhead::Slot> slots_;
};

TEST_F(BulkheadReentrancyTest, AWaiterMayClaimInsideTheWake) {
    auto held = std::get<Bulkhead::Slot>(enter(1));
    queue(2, 4);
    waker_.react = [this](WaiterId waiter) {
        slots_.emplace(waiter, places_.at(waiter).claim());
        places_.erase(waiter);
    };

    held.leave();

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2}));
    EXPECT_EQ(slots_.size(), 1U);
    EXPECT_EQ(bulkhead_.in_flight(), 1U);
    EXPECT_EQ(bulkhead_.queued(), 2U);
}

TEST_F(BulkheadReentrancyTest, AWaiterMayAbandonInsideTheWake) {
    auto held = std::get<Bulkhead::Slot>(enter(1));
    queue(2, 5);
    waker_.react = [this](WaiterId waiter) { places_.erase(waiter); };

    held.leave();

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3, 4, 5}));
    EXPECT_EQ(bulkhead_.in_flight(), 0U);
    EXPECT_EQ(bulkhead_.queued(), 0U);
}

TEST_F(BulkheadReentrancyTest, AWaiterMayClaimAndLeaveInsideTheWake) {
    auto held = std::get<Bulkhead::Slot>(enter(1));
    queue(2, 5);
    waker_.react = [this](WaiterId waiter) { places_.at(waiter).claim().leave(); };

    held.leave();

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3, 4, 5}));
    EXPECT_EQ(bulkhead_.in_flight(), 0U);
}

TEST_F(BulkheadReentrancyTest, AnotherWaiterMayBeCancelledInsideTheWake) {
    auto held = std::get<Bulkhead::Slot>(enter(1));
    queue(2, 5);
    waker_.react = [this](WaiterId waiter) { places_.erase(waiter + 1); };

    bulkhead_.reconfigure({.max_in_flight = 3, .max_queue = 8});

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 4}));
    EXPECT_EQ(bulkhead_.in_flight(), 3U);
    EXPECT_EQ(bulkhead_.queued(), 0U);
}

TEST_F(BulkheadReentrancyTest, ANewCallInsideTheWakeQueuesBehindWaiters) {
    auto held = std::get<Bulkhead::Slot>(enter(1));
    queue(2, 4);
    waker_.react = [this](WaiterId waiter) {
        if (waiter == 2) {
            queue(9, 9);
        }
    };

    bulkhead_.reconfigure({.max_in_flight = 4, .max_queue = 8});

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2, 3, 4}));
    EXPECT_FALSE(places_.at(9).is_granted());
}

TEST_F(BulkheadReentrancyTest, TheBulkheadMayBeResizedInsideTheWake) {
    auto held = std::get<Bulkhead::Slot>(enter(1));
    queue(2, 5);
    waker_.react = [this](WaiterId waiter) {
        if (waiter == 2) {
            bulkhead_.reconfigure({.max_in_flight = 2, .max_queue = 100});
        }
    };

    bulkhead_.reconfigure({.max_in_flight = 5, .max_queue = 8});

    EXPECT_EQ(waker_.woken, (std::vector<WaiterId>{2}));
    EXPECT_EQ(bulkhead_.in_flight(), 2U);
    EXPECT_EQ(bulkhead_.queued(), 3U);
}

TEST_F(BulkheadReentrancyTest, AnyReactionKeepsTheCountsConsistent) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        const ManualClock clock;
        ReactingWaker waker;
        Bulkhead bulkhead{{.max_in_flight = 2, .max_queue = 5}, &waker};
        std::map<WaiterId, Bulkhead::Place> places;
        std::map<WaiterId, Bulkhead::Slot> slots;
        WaiterId last_id = 0;
        const auto enter = [&] {
            auto admission = bulkhead.enter(++last_id, Deadline::never(), clock.now());
            if (auto* slot = std::get_if<Bulkhead::Slot>(&admission)) {
                slots.emplace(last_id, std::move(*slot));
            } else if (auto* place = std::get_if<Bulkhead::Place>(&admission)) {
                places.emplace(last_id, std::move(*place));
            }
        };
        waker.react = [&](WaiterId waiter) {
            switch (random_between(generator, 0, 3)) {
                case 0:
                    slots.emplace(waiter, places.at(waiter).claim());
                    places.erase(waiter);
                    break;
                case 1:
                    places.extract(waiter);
                    break;
                case 2:
                    enter();
                    break;
                default:
                    break;
            }
        };

        for (int step = 0; step < 40; ++step) {
            if (random_between(generator, 0, 2) != 0) {
                enter();
            } else if (!slots.empty()) {
                slots.extract(slots.begin());
            } else if (!places.empty()) {
                places.extract(places.begin());
            }

            std::size_t granted = 0;
            for (const auto& [id, place] : places) {
                granted += place.is_granted() ? 1U : 0U;
            }
            ASSERT_EQ(bulkhead.in_flight(), slots.size() + granted);
            ASSERT_EQ(bulkhead.queued(), places.size() - granted);
            ASSERT_LE(bulkhead.in_flight(), 2U);
            ASSERT_LE(bulkhead.queued(), 5U);
            ASSERT_TRUE(bulkhead.queued() == 0 || bulkhead.in_flight() == 2U);
        }
        waker.react = nullptr;
    });
}

}  // namespace
}  // namespace holdfast::resilience
