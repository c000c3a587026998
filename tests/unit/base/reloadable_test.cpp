#include "base/reloadable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::base {
namespace {

TEST(ReloadableTest, ShowsTheLatestValue) {
    Reloadable<std::string> value{"one"};
    EXPECT_EQ(value.current(), "one");
    EXPECT_EQ(value.current(), "one");

    value.replace("two");

    EXPECT_EQ(value.current(), "two");
}

TEST(ReloadableTest, ObjectsOfOneTypeAreKeptApart) {
    Reloadable<std::string> one{"one"};
    Reloadable<std::string> other{"other"};
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(one.current(), "one");
        EXPECT_EQ(other.current(), "other");
    }
}

TEST(ReloadableTest, AnObjectAtTheSamePlaceIsAnother) {
    for (const std::string text : {"first", "second", "third"}) {
        const Reloadable<std::string> value{text};
        EXPECT_EQ(value.current(), text);
    }
}

}  // namespace
}  // namespace holdfast::base
