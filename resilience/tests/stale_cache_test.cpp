#include "holdfast/resilience/stale_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "holdfast/resilience/detail/string_hash.hpp"
#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;

using Cache = StaleCache<int, std::string>;
constexpr Duration kTick{1};

/// Returns the keys in the cache, from 0 to 9.
std::vector<int> keys_of(const Cache& cache, TimePoint now) {
    std::vector<int> keys;
    for (int key = 0; key < 10; ++key) {
        if (cache.find(key, now)) {
            keys.push_back(key);
        }
    }
    return keys;
}

TEST(StaleCacheTest, FindsTheLastValueOfAKey) {
    const ManualClock clock;
    Cache cache;

    EXPECT_FALSE(cache.find(1, clock.now()).has_value());
    EXPECT_TRUE(cache.put(1, "old", 10, clock.now()));
    EXPECT_TRUE(cache.put(1, "new", 20, clock.now()));

    ASSERT_TRUE(cache.find(1, clock.now()).has_value());
    EXPECT_EQ(cache.find(1, clock.now())->value, "new");
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_EQ(cache.cost(), 20U);
}

TEST(StaleCacheTest, ReturnsTheExactAge) {
    ManualClock clock;
    Cache cache{{.max_age = 10s}};
    cache.put(1, "value", 1, clock.now());

    for (const Duration age : {Duration::zero(), kTick, Duration{3s}, Duration{10s}}) {
        const auto found = cache.find(1, clock.now() + age);
        ASSERT_TRUE(found.has_value()) << age.count();
        EXPECT_EQ(found->age, age);
    }
    EXPECT_FALSE(cache.find(1, clock.now() + 10s + kTick).has_value());
    EXPECT_FALSE(cache.find(1, TimePoint::max()).has_value());
}

TEST(StaleCacheTest, AnEarlierTimeGivesAgeZero) {
    const ManualClock clock;
    Cache cache;
    cache.put(1, "value", 1, clock.now());

    EXPECT_EQ(cache.find(1, clock.now() - 1s).value().age, 0s);
}

TEST(StaleCacheTest, ANewValueStartsANewAge) {
    ManualClock clock;
    Cache cache{{.max_age = 10s}};
    cache.put(1, "value", 1, clock.now());
    clock.advance(8s);

    cache.put(1, "value", 1, clock.now());

    EXPECT_EQ(cache.find(1, clock.now() + 9s).value().age, 9s);
}

TEST(StaleCacheTest, EvictsTheOldestWhenThereAreTooMany) {
    ManualClock clock;
    Cache cache{{.max_entries = 3}};
    for (int key = 0; key < 3; ++key) {
        cache.put(key, "value", 1, clock.now());
        clock.advance(1s);
    }

    cache.put(0, "renewed", 1, clock.now());
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{0, 1, 2}));
    cache.put(3, "value", 1, clock.now());
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{0, 2, 3}));
    cache.put(4, "value", 1, clock.now());
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{0, 3, 4}));
}

TEST(StaleCacheTest, EvictsAsManyAsTheCostRequires) {
    const ManualClock clock;
    Cache cache{{.max_cost = 10}};
    for (int key = 0; key < 5; ++key) {
        cache.put(key, "value", 2, clock.now());
    }
    ASSERT_EQ(cache.cost(), 10U);

    EXPECT_TRUE(cache.put(5, "value", 5, clock.now()));
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{3, 4, 5}));
    EXPECT_EQ(cache.cost(), 9U);
    EXPECT_TRUE(cache.put(6, "value", 1, clock.now()));
    EXPECT_EQ(cache.cost(), 10U);
    EXPECT_TRUE(cache.put(7, "value", 10, clock.now()));
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{7}));
}

TEST(StaleCacheTest, RejectsAValueLargerThanTheCacheAndDropsTheOldOne) {
    const ManualClock clock;
    Cache cache{{.max_cost = 10}};
    cache.put(1, "small", 4, clock.now());
    cache.put(2, "small", 4, clock.now());

    EXPECT_FALSE(cache.put(1, "large", 11, clock.now()));
    EXPECT_FALSE(cache.put(1, "large", std::numeric_limits<std::size_t>::max(), clock.now()));

    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{2}));
    EXPECT_EQ(cache.cost(), 4U);
}

TEST(StaleCacheTest, ReadingChangesNothing) {
    ManualClock clock;
    Cache cache{{.max_entries = 2, .max_age = 10s}};
    cache.put(1, "value", 1, clock.now());
    cache.put(2, "value", 1, clock.now());

    // Neither a lookup from the future nor a recent one decides which value is evicted first.
    EXPECT_FALSE(cache.find(1, clock.now() + 1h).has_value());
    EXPECT_TRUE(cache.find(1, clock.now()).has_value());
    EXPECT_EQ(cache.size(), 2U);
    cache.put(3, "value", 1, clock.now());

    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{2, 3}));
}

TEST(StaleCacheTest, SweepsExpiredValues) {
    ManualClock clock;
    Cache cache{{.max_age = 10s}};
    for (int key = 0; key < 5; ++key) {
        cache.put(key, "value", 3, clock.now());
        clock.advance(1s);
    }

    clock.advance(7s);
    EXPECT_EQ(cache.sweep(clock.now()), 2U);
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{2, 3, 4}));
    EXPECT_EQ(cache.cost(), 9U);
    EXPECT_EQ(cache.sweep(clock.now()), 0U);
    clock.advance(1h);
    EXPECT_EQ(cache.sweep(clock.now()), 3U);
    EXPECT_EQ(cache.cost(), 0U);
}

TEST(StaleCacheTest, ErasesOneKey) {
    const ManualClock clock;
    Cache cache;
    cache.put(1, "value", 5, clock.now());

    EXPECT_TRUE(cache.erase(1));
    EXPECT_FALSE(cache.erase(1));
    EXPECT_EQ(cache.size(), 0U);
    EXPECT_EQ(cache.cost(), 0U);
}

TEST(StaleCacheTest, ReconfigureEvictsTheOldestThatNoLongerFit) {
    const ManualClock clock;
    Cache cache;
    for (int key = 0; key < 6; ++key) {
        cache.put(key, "value", 2, clock.now());
    }

    cache.reconfigure({.max_entries = 4});
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{2, 3, 4, 5}));
    cache.reconfigure({.max_cost = 5});
    EXPECT_EQ(keys_of(cache, clock.now()), (std::vector{4, 5}));
    cache.reconfigure({.max_age = 1s});
    EXPECT_FALSE(cache.find(5, clock.now() + 2s).has_value());
    EXPECT_EQ(cache.options().max_age, 1s);
}

TEST(StaleCacheTest, FindsByAnyTypeThatTheHashAccepts) {
    const ManualClock clock;
    StaleCache<std::string, int, detail::StringHash, std::equal_to<>> cache;
    cache.put("tools/list", 7, 1, clock.now());

    const auto found = cache.find(std::string_view{"tools/list"}, clock.now());

    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->value, 7);
}

TEST(StaleCacheTest, StoresValuesThatCannotBeCopied) {
    const ManualClock clock;
    StaleCache<int, std::unique_ptr<int>> cache;

    cache.put(1, std::make_unique<int>(9), 1, clock.now());

    EXPECT_EQ(*cache.find(1, clock.now()).value().value, 9);
}

TEST(StaleCacheTest, CannotBeCopied) {
    // Its index points into its own entries.
    static_assert(!std::is_copy_constructible_v<Cache>);
    static_assert(!std::is_copy_assignable_v<Cache>);
}

TEST(StaleCacheDeathTest, RejectsInvalidOptions) {
    EXPECT_DEATH(Cache({.max_entries = 0}), "expectation failed");
}

/// A list from oldest to newest, searched from end to end.
struct NaiveCache {
    struct Entry {
        int key;
        std::string value;
        std::size_t cost;
        TimePoint stored_at;
    };

    [[nodiscard]] std::size_t cost() const {
        std::size_t sum = 0;
        for (const Entry& entry : entries) {
            sum += entry.cost;
        }
        return sum;
    }
    void shrink() {
        while (entries.size() > options.max_entries || cost() > options.max_cost) {
            entries.erase(entries.begin());
        }
    }
    bool erase(int key) {
        return std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; }) > 0;
    }
    bool put(const Entry& entry) {
        erase(entry.key);
        if (entry.cost <= options.max_cost) {
            entries.push_back(entry);
            shrink();
            return true;
        }
        return false;
    }
    std::size_t sweep(TimePoint now) {
        return std::erase_if(
            entries, [&](const Entry& entry) { return now - entry.stored_at > options.max_age; });
    }
    [[nodiscard]] const Entry* find(int key, TimePoint now) const {
        for (const Entry& entry : entries) {
            if (entry.key == key && now - entry.stored_at <= options.max_age) {
                return &entry;
            }
        }
        return nullptr;
    }

    StaleCacheOptions options;
    std::vector<Entry> entries;
};

StaleCacheOptions some_options(std::mt19937_64& generator) {
    return {.max_entries = random_between<std::size_t>(generator, 1, 6),
            .max_cost = random_between<std::size_t>(generator, 1, 20),
            .max_age = Duration{random_between(generator, 1, 50)}};
}

TEST(StaleCacheModelTest, AgreesWithTheModelAtEveryStep) {
    for_each_seed(1'500, [](std::mt19937_64& generator) {
        ManualClock clock;
        const auto options = some_options(generator);
        Cache cache{options};
        NaiveCache model{options, {}};
        for (int step = 0; step < 60; ++step) {
            const int key = random_between(generator, 0, 9);
            switch (random_between(generator, 0, 9)) {
                case 0:
                    ASSERT_EQ(cache.erase(key), model.erase(key));
                    break;
                case 1:
                    ASSERT_EQ(cache.sweep(clock.now()), model.sweep(clock.now()));
                    break;
                case 2:
                    model.options = some_options(generator);
                    model.shrink();
                    cache.reconfigure(model.options);
                    break;
                case 3:
                case 4:
                    clock.advance(Duration{random_between(generator, 0, 20)});
                    break;
                default: {
                    const auto cost = random_between<std::size_t>(generator, 0, 8);
                    const std::string value = std::to_string(step);
                    ASSERT_EQ(cache.put(key, value, cost, clock.now()),
                              model.put({key, value, cost, clock.now()}));
                    break;
                }
            }
            ASSERT_EQ(cache.size(), model.entries.size());
            ASSERT_EQ(cache.cost(), model.cost());
            for (int other = 0; other < 10; ++other) {
                const auto found = cache.find(other, clock.now());
                const auto* expected = model.find(other, clock.now());
                ASSERT_EQ(found.has_value(), expected != nullptr);
                if (found) {
                    ASSERT_EQ(found->value, expected->value);
                    ASSERT_EQ(found->age, clock.now() - expected->stored_at);
                }
            }
        }
    });
}

}  // namespace
}  // namespace holdfast::resilience
