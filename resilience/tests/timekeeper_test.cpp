#include "holdfast/resilience/timekeeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "support/manual_timekeeper.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::for_each_seed;
using testing::ManualTimekeeper;
using testing::random_between;

class SilentTimer final : public Timer {
public:
    void on_time() override {}
};

const TimePoint kNow{1000h};

/// Cancels another timer when it is abandoned, as destroying a coroutine may.
class AbandonedTimer final : public Timer {
public:
    AbandonedTimer(TimerHeap& heap, int& count) : heap_(heap), count_(count) {}
    void on_time() override {}
    void on_abandoned() override {
        ++count_;
        if (other != nullptr) {
            heap_.cancel(*other);
        }
    }

    Timer* other = nullptr;

private:
    TimerHeap& heap_;
    int& count_;
};

TEST(TimerHeapTest, AbandonsRemainingTimers) {
    TimerHeap heap;
    int abandoned = 0;
    AbandonedTimer first{heap, abandoned};
    AbandonedTimer second{heap, abandoned};
    AbandonedTimer cancelled_by_first{heap, abandoned};
    first.other = &cancelled_by_first;
    heap.schedule(first, kNow);
    heap.schedule(second, TimePoint::max());
    heap.schedule(cancelled_by_first, kNow + 1s);

    heap.abandon_all();

    EXPECT_EQ(abandoned, 2);
    EXPECT_EQ(heap.size(), 0U);
    EXPECT_FALSE(second.is_scheduled());
}

TEST(TimerHeapTest, IsEmptyAtFirst) {
    TimerHeap heap;

    EXPECT_EQ(heap.size(), 0U);
    EXPECT_EQ(heap.next(), std::nullopt);
    EXPECT_EQ(heap.take_due(TimePoint::max()), nullptr);
}

TEST(TimerHeapTest, ATimerIsDueAtItsInstantAndNotBefore) {
    SilentTimer timer;
    TimerHeap heap;
    heap.schedule(timer, kNow);

    EXPECT_EQ(heap.next(), kNow);
    EXPECT_EQ(heap.take_due(kNow - 1ns), nullptr);
    EXPECT_TRUE(timer.is_scheduled());
    EXPECT_EQ(heap.take_due(kNow), &timer);
    EXPECT_FALSE(timer.is_scheduled());
    EXPECT_EQ(heap.take_due(kNow), nullptr);
}

TEST(TimerHeapTest, ReturnsTheSoonestFirst) {
    SilentTimer late;
    SilentTimer soon;
    SilentTimer middle;
    TimerHeap heap;
    heap.schedule(late, kNow + 3s);
    heap.schedule(soon, kNow + 1s);
    heap.schedule(middle, kNow + 2s);

    EXPECT_EQ(heap.take_due(kNow + 9s), &soon);
    EXPECT_EQ(heap.take_due(kNow + 9s), &middle);
    EXPECT_EQ(heap.take_due(kNow + 9s), &late);
}

TEST(TimerHeapTest, ReturnsEachTimerOfEqualInstantsOnce) {
    std::vector<SilentTimer> timers(9);
    TimerHeap heap;
    for (SilentTimer& timer : timers) {
        heap.schedule(timer, kNow);
    }

    std::vector<const Timer*> given;
    while (const Timer* timer = heap.take_due(kNow)) {
        given.push_back(timer);
    }

    EXPECT_EQ(given.size(), timers.size());
    for (const SilentTimer& timer : timers) {
        EXPECT_EQ(std::count(given.begin(), given.end(), &timer), 1);
    }
}

TEST(TimerHeapTest, ReschedulingMovesATimerInBothDirections) {
    SilentTimer moved;
    SilentTimer other;
    TimerHeap heap;
    heap.schedule(moved, kNow + 1s);
    heap.schedule(other, kNow + 2s);

    heap.schedule(moved, kNow + 3s);
    EXPECT_EQ(heap.next(), kNow + 2s);
    heap.schedule(moved, kNow);
    EXPECT_EQ(heap.next(), kNow);

    EXPECT_EQ(heap.size(), 2U);
    heap.cancel(moved);
    heap.cancel(other);
}

TEST(TimerHeapTest, CancellingAnUnscheduledTimerDoesNothing) {
    SilentTimer never;
    SilentTimer twice;
    TimerHeap heap;
    heap.schedule(twice, kNow);

    heap.cancel(never);
    heap.cancel(twice);
    heap.cancel(twice);

    EXPECT_EQ(heap.size(), 0U);
    EXPECT_FALSE(twice.is_scheduled());
}

TEST(TimerHeapTest, TimersMayOutliveTheHeap) {
    SilentTimer first;
    SilentTimer second;
    {
        TimerHeap heap;
        heap.schedule(first, kNow);
        heap.schedule(second, kNow + 1s);
    }

    EXPECT_FALSE(first.is_scheduled());
    EXPECT_FALSE(second.is_scheduled());
    TimerHeap other;
    other.schedule(first, kNow);
    EXPECT_EQ(other.take_due(kNow), &first);
}

TEST(TimerHeapDeathTest, AScheduledTimerMustNotBeDestroyed) {
    TimerHeap heap;
    auto timer = std::make_unique<SilentTimer>();
    heap.schedule(*timer, kNow);

    EXPECT_EXIT(timer.reset(), ::testing::KilledBySignal(SIGABRT), "is_scheduled");

    heap.cancel(*timer);
}

/// Compares the heap with a plain list that is searched from end to end.
class HeapAndList {
public:
    HeapAndList(std::mt19937_64& random, std::size_t count) : random_(random), timers_(count) {}

    void do_something() {
        const auto index = random_between<std::size_t>(random_, 0, timers_.size() - 1);
        switch (random_between(random_, 0, 3)) {
            case 0:
            case 1: {
                // Few instants, so that many are equal.
                const TimePoint when = kNow + random_between(random_, 0, 12) * 1s;
                heap_.schedule(timers_[index], when);
                std::erase_if(list_, [&](const auto& entry) { return entry.first == index; });
                list_.emplace_back(index, when);
                break;
            }
            case 2:
                heap_.cancel(timers_[index]);
                std::erase_if(list_, [&](const auto& entry) { return entry.first == index; });
                break;
            default:
                take_due(kNow + random_between(random_, 0, 8) * 1s);
        }
        compare();
    }

    void empty() {
        while (!list_.empty() && !::testing::Test::HasFailure()) {
            take_due(TimePoint::max());
            compare();
        }
    }

private:
    [[nodiscard]] std::optional<TimePoint> soonest() const {
        std::optional<TimePoint> found;
        for (const auto& [index, when] : list_) {
            found = found ? std::min(*found, when) : when;
        }
        return found;
    }

    void take_due(TimePoint now) {
        const auto expected = soonest();
        const Timer* due = heap_.take_due(now);
        ASSERT_EQ(due != nullptr, expected && *expected <= now);
        if (due == nullptr) {
            return;
        }
        const auto entry = std::find_if(list_.begin(), list_.end(), [&](const auto& candidate) {
            return &timers_[candidate.first] == due;
        });
        ASSERT_NE(entry, list_.end()) << "given, but not scheduled";
        ASSERT_EQ(entry->second, *expected) << "another one is due before it";
        list_.erase(entry);
    }

    void compare() const {
        ASSERT_EQ(heap_.size(), list_.size());
        ASSERT_EQ(heap_.next(), soonest());
        for (std::size_t index = 0; index < timers_.size(); ++index) {
            const bool listed = std::any_of(list_.begin(), list_.end(), [&](const auto& entry) {
                return entry.first == index;
            });
            ASSERT_EQ(timers_[index].is_scheduled(), listed);
        }
    }

    std::mt19937_64& random_;
    std::vector<SilentTimer> timers_;
    std::vector<std::pair<std::size_t, TimePoint>> list_;
    TimerHeap heap_;  // destroyed before the timers, with some of them scheduled
};

TEST(TimerHeapModelTest, EqualsASearchedListAfterAnyOperation) {
    for_each_seed(1'000, [](std::mt19937_64& random) {
        HeapAndList both{random, random_between<std::size_t>(random, 1, 20)};
        for (int round = 0; round < 100 && !::testing::Test::HasFailure(); ++round) {
            both.do_something();
        }
        if (random_between(random, 0, 1) == 0) {
            both.empty();
        }
    });
}

/// Schedules itself again, and cancels another.
class BusyTimer final : public Timer {
public:
    explicit BusyTimer(ManualTimekeeper& keeper) : keeper_(keeper) {}
    ~BusyTimer() override { keeper_.cancel(*this); }

    void on_time() override {
        times.push_back(keeper_.now());
        if (times.size() < 3) {
            keeper_.schedule(*this, keeper_.now() + 1s);
        }
        if (to_cancel != nullptr) {
            keeper_.cancel(*to_cancel);
        }
    }

    std::vector<TimePoint> times;
    Timer* to_cancel = nullptr;

private:
    ManualTimekeeper& keeper_;
};

TEST(TimekeeperTest, ATimerMayScheduleItselfAndCancelOthersWhenItFires) {
    ManualTimekeeper keeper;
    BusyTimer busy{keeper};
    BusyTimer cancelled{keeper};
    busy.to_cancel = &cancelled;
    const TimePoint begin = keeper.now();
    keeper.schedule(busy, begin + 1s);
    keeper.schedule(cancelled, begin + 1s + 1ns);

    for (int second = 1; second <= 5; ++second) {
        keeper.advance_to(begin + second * 1s);
    }

    EXPECT_EQ(busy.times, (std::vector<TimePoint>{begin + 1s, begin + 2s, begin + 3s}));
    EXPECT_TRUE(cancelled.times.empty());
    EXPECT_EQ(keeper.next(), std::nullopt);
}

}  // namespace
}  // namespace holdfast::resilience
