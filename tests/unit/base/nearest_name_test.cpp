#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::base {
namespace {

using Names = std::vector<std::string_view>;

TEST(NearestNameTest, CountsEditsAndSwappedNeighbours) {
    EXPECT_EQ(name_distance("version", "version"), 0U);
    EXPECT_EQ(name_distance("verison", "version"), 1U);
    EXPECT_EQ(name_distance("serv", "serve"), 1U);
    EXPECT_EQ(name_distance("", "abc"), 3U);
    EXPECT_EQ(name_distance("kitten", "sitting"), 3U);
}

TEST(NearestNameTest, IgnoresCaseAndSeparators) {
    EXPECT_EQ(name_distance("searchCode", "search_code"), 0U);
    EXPECT_EQ(name_distance("github.search-code", "github__search_code"), 0U);
}

TEST(NearestNameTest, SortsByDistanceThenByPosition) {
    const Names names{"status", "serve", "version", "stats", "start"};

    EXPECT_EQ(nearest_names("stat", names, 3), (Names{"stats", "start", "status"}));
    EXPECT_EQ(nearest_names("stat", names, 0), Names{});
    EXPECT_EQ(nearest_names("x", names, 99).size(), names.size());
}

TEST(NearestNameTest, ReturnsOnlyALikelyName) {
    const Names names{"serve", "version"};

    EXPECT_EQ(likely_name("vesion", names), "version");
    EXPECT_EQ(likely_name("frobnicate", names), std::nullopt);
    EXPECT_EQ(likely_name("anything", {}), std::nullopt);
}

TEST(NearestNameTest, ComparesOnlyTheBeginningOfALongWord) {
    const std::string word = "version" + std::string(1'000'000, 'x');
    const Names names{"serve", word};

    EXPECT_EQ(nearest_names(word, names, 1), Names{word});
}

TEST(NearestNameTest, ShortcutsDoNotChangeTheResult) {
    std::mt19937_64 random{1};
    std::vector<std::string> texts;
    for (int count = 0; count < 300; ++count) {
        std::string text(random() % 9, ' ');
        std::ranges::generate(text, [&] { return "abcdXY_-"[random() % 8]; });
        texts.push_back(text);
    }
    const Names names{texts.begin(), texts.end()};
    for (int round = 0; round < 200; ++round) {
        const std::string_view typed = names[random() % names.size()];
        std::vector<std::pair<std::size_t, std::size_t>> order;
        order.reserve(names.size());
        for (std::size_t index = 0; index < names.size(); ++index) {
            order.emplace_back(name_distance(typed, names[index]), index);
        }
        std::ranges::sort(order);
        Names expected;
        for (std::size_t place = 0; place < 10; ++place) {
            expected.push_back(names[order[place].second]);
        }

        EXPECT_EQ(nearest_names(typed, names, 10), expected) << typed;
    }
}

}  // namespace
}  // namespace holdfast::base
