#include "surface/list_cursor.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace holdfast::surface {
namespace {

TEST(ListCursorTest, ReadsWhatItWrote) {
    for (const ListCursor cursor :
         {ListCursor{}, ListCursor{.generation = 3, .offset = 1'000},
          ListCursor{.generation = std::numeric_limits<std::uint64_t>::max(),
                     .offset = std::numeric_limits<std::size_t>::max()}}) {
        const auto read = parsed_cursor(cursor.text());

        ASSERT_TRUE(read);
        EXPECT_EQ(read->generation, cursor.generation);
        EXPECT_EQ(read->offset, cursor.offset);
    }
}

TEST(ListCursorTest, RejectsEverythingElse) {
    for (const std::string_view text :
         {"", "-", "1", "1-", "-1", "1--1", "1-1x", " 1-1", "1-1 ", "+1-1", "a-b", "1-+1", "0x1-1",
          "18446744073709551616-0", "0-99999999999999999999"}) {
        EXPECT_FALSE(parsed_cursor(text)) << text;
    }
}

}  // namespace
}  // namespace holdfast::surface
