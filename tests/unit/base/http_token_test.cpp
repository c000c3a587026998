#include "base/http_token.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::base {
namespace {

TEST(HttpTokenTest, AcceptsInATokenWhatRfc9110Allows) {
    const std::string allowed =
        "!#$%&'*+-.^_`|~0123456789"
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int code = 0; code < 256; ++code) {
        const char character = static_cast<char>(code);
        const bool is_allowed = allowed.find(character) != std::string::npos;

        EXPECT_EQ(is_of_class(character, HttpClass::token), is_allowed) << code;
        EXPECT_EQ(is_token(std::string{"a"} + character + "b"), is_allowed) << code;
    }
    EXPECT_TRUE(is_token(allowed));
    EXPECT_FALSE(is_token(""));
}

TEST(HttpTokenTest, RejectsControlCharactersInAValueAtEveryPosition) {
    for (std::size_t size = 1; size <= 20; ++size) {
        for (std::size_t place = 0; place < size; ++place) {
            for (int code = 0; code < 256; ++code) {
                std::string text(size, 'v');
                text[place] = static_cast<char>(code);
                const bool is_control = (code < 0x20 && code != '\t') || code == 0x7f;
                ASSERT_EQ(is_header_value(text), !is_control)
                    << size << ' ' << place << ' ' << code;
            }
        }
    }
    EXPECT_TRUE(is_header_value(""));
}

TEST(HttpTokenTest, AcceptsOnlyVisibleAsciiInATarget) {
    for (int code = 0; code < 256; ++code) {
        EXPECT_EQ(is_visible(std::string{"/a"} + static_cast<char>(code)),
                  code > 0x20 && code < 0x7f)
            << code;
    }
    EXPECT_TRUE(is_visible(""));
}

TEST(HttpTokenTest, TrimsBlanksAndTabsButNotLineEnds) {
    EXPECT_EQ(trimmed_value(" \t a b\t "), "a b");
    EXPECT_EQ(trimmed_value(" \t"), "");
    EXPECT_EQ(trimmed_value(" a\r"), "a\r");
}

TEST(HttpTokenTest, TakesTheTrimmedPartsOfAList) {
    std::string_view list = "a , b,,c";

    EXPECT_EQ(take_list_part(list), "a");
    EXPECT_EQ(take_list_part(list), "b");
    EXPECT_EQ(take_list_part(list), "");
    EXPECT_EQ(take_list_part(list), "c");
    EXPECT_TRUE(list.empty());
}

TEST(HttpTokenTest, FindsAPartOfAListInAnyCase) {
    EXPECT_TRUE(has_list_part("keep-alive, Upgrade", "upgrade"));
    EXPECT_FALSE(has_list_part("keep-alive, Upgraded", "upgrade"));
    EXPECT_FALSE(has_list_part("", "upgrade"));
}

}  // namespace
}  // namespace holdfast::base
