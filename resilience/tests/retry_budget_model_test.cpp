#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "holdfast/resilience/retry_budget.hpp"
#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;

/// Stores every call and retry with its time, and counts them again for each question.
class NaiveBudget {
public:
    struct Figures {
        std::int64_t percent;
        std::int64_t width;  // of a bucket, in ticks
        std::int64_t buckets;
        std::int64_t floor;
    };

    explicit NaiveBudget(const Figures& figures) : figures_(figures) {}

    void add_call(TimePoint now) { calls_.push_back(ticks(now)); }
    void add_retry(TimePoint now) { retries_.push_back(ticks(now)); }

    [[nodiscard]] std::int64_t limit(TimePoint now) const {
        return std::max(figures_.floor, figures_.percent * in_window(calls_, now) / 100);
    }
    [[nodiscard]] std::int64_t retries(TimePoint now) const { return in_window(retries_, now); }

    /// An event gets the last past instant of its bucket, because a bucket stores nothing else.
    void reconfigure(const Figures& figures, TimePoint now) {
        for (auto* events : {&calls_, &retries_}) {
            std::erase_if(*events, [&](std::int64_t at) { return !covers(at, now); });
            for (std::int64_t& at : *events) {
                at = std::min(at - at % figures_.width + figures_.width - 1, ticks(now));
            }
        }
        figures_ = figures;
    }

private:
    static std::int64_t ticks(TimePoint at) { return at.time_since_epoch().count(); }

    [[nodiscard]] bool covers(std::int64_t at, TimePoint now) const {
        return ticks(now) / figures_.width - at / figures_.width < figures_.buckets;
    }
    [[nodiscard]] std::int64_t in_window(const std::vector<std::int64_t>& events,
                                         TimePoint now) const {
        return std::count_if(events.begin(), events.end(),
                             [&](std::int64_t at) { return covers(at, now); });
    }

    Figures figures_;
    std::vector<std::int64_t> calls_;
    std::vector<std::int64_t> retries_;
};

NaiveBudget::Figures some_figures(std::mt19937_64& generator) {
    return {.percent = random_between(generator, 0, 100),
            .width = random_between(generator, 1, 40),
            .buckets = random_between(generator, 1, 8),
            .floor = random_between(generator, 1, 4)};
}

RetryBudgetOptions options_of(const NaiveBudget::Figures& figures) {
    return {.ratio = static_cast<double>(figures.percent) / 100.0,
            .window = Duration{figures.width * figures.buckets},
            .window_buckets = static_cast<std::uint32_t>(figures.buckets),
            .floor = static_cast<std::uint32_t>(figures.floor)};
}

/// A budget and its model, driven together.
struct Pair {
    explicit Pair(const NaiveBudget::Figures& figures)
        : model(figures), budget(options_of(figures)) {}

    [[nodiscard]] std::int64_t expected_available(TimePoint now) const {
        const auto held = static_cast<std::int64_t>(waiting.size());
        const auto running_count = static_cast<std::int64_t>(running.size());
        const std::int64_t by_window = model.limit(now) - held - model.retries(now);
        const std::int64_t in_flight = model.limit(now) - held - running_count;
        return std::max<std::int64_t>(0, std::min(by_window, in_flight));
    }

    void take(TimePoint now) {
        const bool expected = expected_available(now) > 0;
        auto hold = budget.try_hold(now);
        ASSERT_EQ(hold.has_value(), expected);
        if (hold) {
            waiting.push_back(std::move(*hold));
            const auto held = static_cast<std::int64_t>(waiting.size());
            ASSERT_LE(model.retries(now) + held, model.limit(now));
        }
    }

    void spend_one(std::mt19937_64& generator, TimePoint now) {
        if (waiting.empty()) {
            return;
        }
        auto hold = take_out(waiting, generator);
        hold.spend(now);
        model.add_retry(now);
        running.push_back(std::move(hold));
    }

    static RetryBudget::Hold take_out(std::vector<RetryBudget::Hold>& holds,
                                      std::mt19937_64& generator) {
        const auto index = random_between<std::size_t>(generator, 0, holds.size() - 1);
        std::swap(holds[index], holds.back());
        auto hold = std::move(holds.back());
        holds.pop_back();
        return hold;
    }

    static void drop_one(std::vector<RetryBudget::Hold>& holds, std::mt19937_64& generator) {
        if (!holds.empty()) {
            std::ignore = take_out(holds, generator);
        }
    }

    NaiveBudget model;
    RetryBudget budget;
    std::vector<RetryBudget::Hold> waiting;
    std::vector<RetryBudget::Hold> running;
};

TEST(RetryBudgetModelTest, AgreesWithTheModelAtEveryStep) {
    for_each_seed(1'500, [](std::mt19937_64& generator) {
        ManualClock clock;
        Pair pair{some_figures(generator)};
        for (int step = 0; step < 80; ++step) {
            const TimePoint now = clock.now();
            switch (random_between(generator, 0, 9)) {
                case 0:
                case 1:
                case 2:
                    pair.budget.on_call(now);
                    pair.model.add_call(now);
                    break;
                case 3:
                case 4:
                    pair.take(now);
                    break;
                case 5:
                    pair.spend_one(generator, now);
                    break;
                case 6:
                    Pair::drop_one(pair.waiting, generator);
                    break;
                case 7:
                    Pair::drop_one(pair.running, generator);
                    break;
                case 8:
                    clock.advance(Duration{random_between(generator, 0, 60)});
                    break;
                default:
                    if (chance(generator, 0.3)) {
                        const auto figures = some_figures(generator);
                        pair.budget.reconfigure(options_of(figures), now);
                        pair.model.reconfigure(figures, now);
                    }
                    break;
            }

            const Duration ahead{random_between(generator, 0, 400)};
            ASSERT_EQ(pair.budget.available(clock.now()), pair.expected_available(clock.now()));
            ASSERT_EQ(pair.budget.available(clock.now() + ahead),
                      pair.expected_available(clock.now() + ahead));
        }
    });
}

TEST(RetryBudgetModelTest, LimitsTheRetriesOfOneWindow) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        const std::int64_t percent = random_between(generator, 0, 100);
        const std::int64_t floor = random_between(generator, 1, 5);
        RetryBudget budget{{.ratio = static_cast<double>(percent) / 100.0,
                            .window = 24h * 365,
                            .window_buckets = 1,
                            .floor = static_cast<std::uint32_t>(floor)}};
        std::vector<RetryBudget::Hold> holds;
        std::int64_t calls = 0;
        std::int64_t retries = 0;

        for (int step = 0; step < 150; ++step) {
            if (chance(generator, 0.4)) {
                budget.on_call(clock.now());
                ++calls;
            } else if (auto hold = budget.try_hold(clock.now())) {
                hold->spend(clock.now());
                ++retries;
                if (chance(generator, 0.5)) {
                    holds.push_back(std::move(*hold));
                }
            }
            clock.advance(1ms);
            ASSERT_LE(retries, std::max(floor, calls * percent / 100));
        }
    });
}

}  // namespace
}  // namespace holdfast::resilience
