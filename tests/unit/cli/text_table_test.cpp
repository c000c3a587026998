#include "cli/output/text_table.hpp"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(TextTableTest, MakesColumnsAsWideAsTheirWidestText) {
    TextTable table;
    table.add({"a", "ready", "x"});
    table.add({"longer", "-", "y z"});
    table.add({"é", "", ""});

    EXPECT_EQ(table.text(), "a       ready  x\nlonger  -      y z\né\n");
}

}  // namespace
}  // namespace holdfast::cli
