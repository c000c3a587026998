#include "process/process_table.hpp"

#include <gtest/gtest.h>

namespace holdfast::process {
namespace {

TEST(ProcessTableTest, ReadsAStatLine) {
    ProcessEntry entry;

    ASSERT_TRUE(parse_process_stat("42 (server) S 7 40 41 0 -1 4194304", entry));

    EXPECT_EQ(entry.pid, 42);
    EXPECT_EQ(entry.parent, 7);
    EXPECT_EQ(entry.session, 41);
    EXPECT_FALSE(entry.is_dead);
    EXPECT_FALSE(entry.is_exiting);
    ASSERT_TRUE(parse_process_stat("42 (server) R 7 40 41 0 -1 4194308", entry));
    EXPECT_TRUE(entry.is_exiting);
}

TEST(ProcessTableTest, AddsUpTheProcessorTimesOfAStatLine) {
    ProcessEntry entry;

    ASSERT_TRUE(parse_process_stat(
        "42 (server) S 7 40 41 0 -1 4194304 5000000000 2 3 4 100 20 3 4000 20 0 11 0", entry));
    EXPECT_EQ(entry.cpu_ticks, 4123U);

    ASSERT_TRUE(parse_process_stat("42 (server) S 7 40 41 0 -1 4194304", entry));
    EXPECT_EQ(entry.cpu_ticks, 0U);
}

TEST(ProcessTableTest, ReadsProgramNamesWithBracketsAndSpaces) {
    ProcessEntry entry;

    ASSERT_TRUE(parse_process_stat("42 (a) R 1 (1 1) Z 7 40 41 0", entry));

    EXPECT_EQ(entry.parent, 7);
    EXPECT_TRUE(entry.is_dead);
}

TEST(ProcessTableTest, RejectsInvalidStatLines) {
    ProcessEntry entry;

    for (const char* text :
         {"", "42", "42 (a", "42 (a)", "42 (a) S", "42 (a) S x", "(a) S 1 1 1"}) {
        EXPECT_FALSE(parse_process_stat(text, entry)) << text;
    }
}

}  // namespace
}  // namespace holdfast::process
