#include "net/http/wire/http_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::net {
namespace {

TEST(HttpTextTest, RefusesControlCharactersInAValueWhereverTheyStand) {
    for (std::size_t size = 1; size <= 20; ++size) {
        for (std::size_t place = 0; place < size; ++place) {
            for (int code = 0; code < 256; ++code) {
                std::string text(size, 'v');
                text[place] = static_cast<char>(code);
                const bool is_control = (code < 0x20 && code != '\t') || code == 0x7f;
                ASSERT_EQ(is_value(text), !is_control) << size << ' ' << place << ' ' << code;
            }
        }
    }
    EXPECT_TRUE(is_value(""));
}

TEST(HttpTextTest, ComparesNamesWithoutTheirCase) {
    EXPECT_TRUE(is_same_name("", ""));
    EXPECT_TRUE(is_same_name("Content-Type", "content-TYPE"));
    EXPECT_FALSE(is_same_name("Content-Type", "Content-Typ"));
    EXPECT_FALSE(is_same_name("Content-Type", "Content-Tyse"));
    EXPECT_FALSE(is_same_name("Accept", "Expect"));
    // These differ in the bit that tells letters' cases apart, and are no letters.
    EXPECT_FALSE(is_same_name("a@", "a`"));
    EXPECT_FALSE(is_same_name("a[", "a{"));
}

}  // namespace
}  // namespace holdfast::net
