#include "agents/log_level.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace holdfast::agents {
namespace {

constexpr std::array<std::string_view, 8> kInOrder{"debug", "info",     "notice", "warning",
                                                   "error", "critical", "alert",  "emergency"};

TEST(LogLevelTest, KnowsTheEightLevels) {
    for (const std::string_view name : kInOrder) {
        const std::string copy{name};

        const auto level = log_level_named(copy);

        ASSERT_TRUE(level);
        EXPECT_EQ(*level, name);
        EXPECT_NE(level->data(), copy.data());
    }
    EXPECT_FALSE(log_level_named(""));
    EXPECT_FALSE(log_level_named("Info"));
    EXPECT_FALSE(log_level_named("trace"));
}

TEST(LogLevelTest, LogsFromTheLevelUpwards) {
    for (std::size_t wanted = 0; wanted < kInOrder.size(); ++wanted) {
        for (std::size_t said = 0; said < kInOrder.size(); ++said) {
            const std::string params =
                R"({"data":1,"level":")" + std::string{kInOrder[said]} + "\"}";

            EXPECT_EQ(is_logged(params, kInOrder[wanted]), said >= wanted) << params;
        }
    }
}

TEST(LogLevelTest, LogsEverythingWithoutALevel) {
    EXPECT_TRUE(is_logged(R"({"level":"debug"})", ""));
    EXPECT_TRUE(is_logged("", ""));
}

TEST(LogLevelTest, DropsMessagesWithoutAKnownLevel) {
    for (const std::string_view params :
         {"", "{}", R"({"level":7})", R"({"level":"loud"})", "[]", R"({"level":null})"}) {
        EXPECT_FALSE(is_logged(params, "debug")) << params;
    }
}

}  // namespace
}  // namespace holdfast::agents
