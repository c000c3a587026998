#include "app/nearest_name.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace holdfast::app {
namespace {

TEST(NearestNameTest, PrefersTheNameWithTheFewestEdits) {
    const std::vector<std::string> names{"serve", "status", "version"};

    EXPECT_EQ(nearest_name("verison", names), "version");
    EXPECT_EQ(nearest_name("serv", names), "serve");
    EXPECT_EQ(nearest_name("statsu", names), "status");
    EXPECT_EQ(nearest_name("version", names), "version");
}

TEST(NearestNameTest, TakesTheFirstOfEquallyNearNames) {
    const std::vector<std::string> names{"ab", "ac"};

    EXPECT_EQ(nearest_name("a", names), "ab");
}

TEST(NearestNameTest, ComparesOnlyTheBeginningOfALongWord) {
    const std::vector<std::string> names{"serve", "version"};

    EXPECT_EQ(nearest_name("version" + std::string(1'000'000, 'x'), names), "version");
}

}  // namespace
}  // namespace holdfast::app
