#include "surface/item_list.hpp"

#include <gtest/gtest.h>

namespace holdfast::surface {
namespace {

using mcp::Era;

TEST(ItemListTest, IsEmptyAtFirst) {
    const ItemList list;

    EXPECT_EQ(list.size(), 0U);
    EXPECT_EQ(list.page(Era::legacy, 0, 10), "");
    EXPECT_EQ(list.page(Era::modern, 0, 10), "");
}

TEST(ItemListTest, IsCutIntoPages) {
    ItemList list;
    for (const std::string_view item : {"a", "bb", "c", "", "e"}) {
        list.add(item, {});
    }

    EXPECT_EQ(list.size(), 5U);
    EXPECT_EQ(list.page(Era::modern, 0, 2), "a,bb");
    EXPECT_EQ(list.page(Era::modern, 2, 2), "c,");
    EXPECT_EQ(list.page(Era::legacy, 4, 2), "e");
    EXPECT_EQ(list.page(Era::legacy, 5, 2), "");
    EXPECT_EQ(list.page(Era::legacy, 0, 100), "a,bb,c,,e");
    EXPECT_EQ(list.page(Era::legacy, 0, 0), "");
}

TEST(ItemListTest, ShowsLegacyAgentsTheLegacyForm) {
    ItemList list;
    list.add("a", {});
    list.add("new", "old");
    list.add("c", {});

    EXPECT_EQ(list.size(), 3U);
    EXPECT_EQ(list.page(Era::modern, 0, 3), "a,new,c");
    EXPECT_EQ(list.page(Era::legacy, 0, 3), "a,old,c");
    EXPECT_EQ(list.page(Era::legacy, 1, 1), "old");
    EXPECT_EQ(list.page(Era::legacy, 2, 1), "c");
}

TEST(ItemListTest, ShowsTheFirstItemInTheLegacyForm) {
    ItemList list;
    list.add("new", "old");
    list.add("b", {});

    EXPECT_EQ(list.page(Era::modern, 0, 2), "new,b");
    EXPECT_EQ(list.page(Era::legacy, 0, 2), "old,b");
}

}  // namespace
}  // namespace holdfast::surface
