#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "holdfast/resilience/detail/rolling_window.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience::detail {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::for_each_seed;
using testing::random_between;
using Window = RollingWindow<2>;
using Counts = Window::Counts;

constexpr TimePoint kStart{1'000h};

/// A list of additions by bucket number; summed again for each question.
class NaiveWindow {
public:
    NaiveWindow(Duration length, std::uint32_t buckets)
        : width_((length / buckets).count()), buckets_(buckets) {}

    void pass_time(TimePoint now) { current_ = std::max(current_, bucket_of(now)); }

    /// A time before the current bucket counts as the current one.
    void add(const Counts& counts, TimePoint now) {
        pass_time(now);
        added_.emplace_back(current_, counts);
    }

    /// Adds to its own bucket, but never to a future one.
    void add_past(const Counts& counts, TimePoint when, TimePoint now) {
        pass_time(now);
        const auto bucket = std::min(bucket_of(when), current_);
        if (current_ - bucket < buckets_) {
            added_.emplace_back(bucket, counts);
        }
    }

    [[nodiscard]] Counts totals_at(TimePoint now) const {
        const auto newest = std::max(current_, bucket_of(now));
        Counts sums{};
        for (const auto& [bucket, counts] : added_) {
            if (newest - bucket < buckets_) {
                sums[0] += counts[0];
                sums[1] += counts[1];
            }
        }
        return sums;
    }

    [[nodiscard]] std::int64_t bucket_of(TimePoint when) const {
        const auto ticks = when.time_since_epoch().count();
        return ticks >= 0 ? ticks / width_ : -((-ticks + width_ - 1) / width_);
    }

    void clear() { added_.clear(); }

private:
    std::int64_t width_;
    std::int64_t buckets_;
    std::int64_t current_ = std::numeric_limits<std::int64_t>::min() / 2;
    std::vector<std::pair<std::int64_t, Counts>> added_;
};

Counts sum_of_visited(const Window& window, TimePoint now) {
    Counts sums{};
    TimePoint last = TimePoint::max();
    window.for_each(now, [&](TimePoint instant, const Counts& counts) {
        EXPECT_LE(instant, last) << "newest first";
        EXPECT_LE(instant, now);
        last = instant;
        sums[0] += counts[0];
        sums[1] += counts[1];
    });
    return sums;
}

class WindowPair {
public:
    explicit WindowPair(std::mt19937_64& random)
        : random_(random),
          buckets_(random_between(random, 1U, 12U)),
          length_(random_between<std::int64_t>(random, buckets_, 400)),
          now_(chance(random, 0.5) ? kStart : TimePoint{-200ns}),
          window_(length_, buckets_),
          naive_(length_, buckets_) {}

    void step() {
        move_time();
        const Counts counts{random_between(random_, 0U, 5U), random_between(random_, 0U, 5U)};
        const int kind = random_between(random_, 0, 99);
        if (kind < 60) {
            window_.add(counts, now_);
            naive_.add(counts, now_);
        } else if (kind < 75) {
            const TimePoint when = now_ - Duration{random_between(random_, 0L, 500L)};
            window_.add_past(counts, when, now_);
            naive_.add_past(counts, when, now_);
        } else if (kind < 98) {
            const Counts ahead = window_.totals_at(now_);
            window_.roll(now_);
            naive_.pass_time(now_);
            EXPECT_EQ(window_.totals(), ahead) << "rolling shows what looking ahead showed";
        } else {
            window_.clear();
            naive_.clear();
        }
    }

    void expect_same() const {
        for (const Duration ahead : {Duration{0}, Duration{1}, length_ / 2, length_, length_ * 3}) {
            ASSERT_EQ(window_.totals_at(now_ + ahead), naive_.totals_at(now_ + ahead));
            ASSERT_EQ(sum_of_visited(window_, now_ + ahead), naive_.totals_at(now_ + ahead));
        }
    }

private:
    void move_time() {
        if (chance(random_, 0.1)) {
            now_ -= Duration{random_between(random_, 0L, 60L)};
        } else if (chance(random_, 0.05)) {
            now_ += length_ * random_between(random_, 1, 5);
        } else {
            now_ += Duration{random_between(random_, 0L, 40L)};
        }
    }

    std::mt19937_64& random_;
    std::uint32_t buckets_;
    Duration length_;
    TimePoint now_;
    Window window_;
    NaiveWindow naive_;
};

TEST(RollingWindowTest, CountsAsTheNaiveListUnderRandomTimes) {
    for_each_seed(1'000, [](std::mt19937_64& random) {
        WindowPair pair{random};
        for (int step = 0; step < 60 && !::testing::Test::HasFailure(); ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            pair.step();
            pair.expect_same();
        }
    });
}

TEST(RollingWindowTest, IsEmptyAtFirst) {
    const Window window{30s, 10};

    EXPECT_EQ(window.totals(), Counts{});
    EXPECT_EQ(window.totals_at(kStart), Counts{});
    EXPECT_EQ(sum_of_visited(window, kStart), Counts{});
}

TEST(RollingWindowTest, KeepsABucketForTheLengthOfTheWindow) {
    Window window{30s, 10};
    window.add({1, 2}, kStart);

    EXPECT_EQ(window.totals_at(kStart + 30s - 1ns), (Counts{1, 2}));
    EXPECT_EQ(window.totals_at(kStart + 30s), Counts{});
    EXPECT_EQ(window.totals(), (Counts{1, 2})) << "looking changes nothing";
    window.roll(kStart + 30s);
    EXPECT_EQ(window.totals(), Counts{});
}

TEST(RollingWindowTest, ReportsTheLastInstantOfEachBucket) {
    Window window{30s, 10};
    window.add({1, 0}, kStart + 1s);
    window.add({2, 0}, kStart + 7s);
    std::vector<std::pair<TimePoint, std::uint32_t>> visited;

    window.for_each(kStart + 8s, [&](TimePoint instant, const Counts& counts) {
        if (counts[0] > 0) {
            visited.emplace_back(instant, counts[0]);
        }
    });

    const std::vector<std::pair<TimePoint, std::uint32_t>> expected{{kStart + 8s, 2},
                                                                    {kStart + 3s - 1ns, 1}};
    EXPECT_EQ(visited, expected);
}

TEST(RollingWindowTest, EarlierTimesCountInTheCurrentBucket) {
    Window window{30s, 10};
    window.add({1, 0}, kStart + 9s);
    window.add({1, 0}, kStart);

    EXPECT_EQ(window.totals_at(kStart + 39s - 1ns), (Counts{2, 0}));
    EXPECT_EQ(window.totals_at(kStart + 39s), Counts{});
}

TEST(RollingWindowTest, PastAdditionsLeaveWithTheirBucket) {
    Window window{30s, 10};

    window.add_past({1, 0}, kStart - 27s, kStart);
    window.add_past({4, 0}, kStart - 27s - 1ns, kStart);
    window.add_past({2, 0}, kStart - 1ns, kStart);

    EXPECT_EQ(window.totals(), (Counts{3, 0}));
    EXPECT_EQ(window.totals_at(kStart + 3s), (Counts{2, 0}));
    EXPECT_EQ(window.totals_at(kStart + 27s), Counts{});
}

TEST(RollingWindowTest, InstantsAtTheEndsOfTimeDoNotOverflow) {
    Window window{30s, 10};

    window.add_past({1, 0}, TimePoint::min(), kStart);
    EXPECT_EQ(window.totals(), Counts{});
    window.add_past({1, 0}, kStart - Duration::max(), kStart);
    EXPECT_EQ(window.totals(), Counts{});
    window.add({1, 0}, TimePoint::max() - 1ns);

    EXPECT_EQ(window.totals_at(TimePoint::max() - 1ns), (Counts{1, 0}));
}

}  // namespace
}  // namespace holdfast::resilience::detail
