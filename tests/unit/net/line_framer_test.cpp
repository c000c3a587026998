#include "net/line_framer.hpp"

#include <gtest/gtest.h>

#include "stream_pieces.hpp"

namespace holdfast::net {
namespace {

using Lines = std::vector<std::string>;

TEST(LineFramerTest, CutsAtNewlines) {
    EXPECT_EQ(lines_of({"{\"a\":1}\n{\"b\":2}\n"}, 100), (Lines{"{\"a\":1}", "{\"b\":2}"}));
}

TEST(LineFramerTest, AcceptsCarriageReturnsBeforeNewlines) {
    EXPECT_EQ(lines_of({"a\r\nb\r", "\nc\rd\n"}, 100), (Lines{"a", "b", "c\rd"}));
}

TEST(LineFramerTest, SkipsBlankLines) {
    EXPECT_EQ(lines_of({"\n\r\n  \t\na\n\n"}, 100), (Lines{"a"}));
}

TEST(LineFramerTest, ReturnsALastLineWithoutItsEnd) {
    EXPECT_EQ(lines_of({"a\nb"}, 100), (Lines{"a", "b"}));
}

TEST(LineFramerTest, AcceptsALineOfExactlyTheLimit) {
    EXPECT_EQ(lines_of({"abc\nabc\r\nabc\r", "\n"}, 3), (Lines{"abc", "abc", "abc"}));
}

TEST(LineFramerTest, ReportsALongLineOnceAndContinues) {
    EXPECT_EQ(lines_of({"abcd\nab\n"}, 3), (Lines{"<too long>", "ab"}));
    EXPECT_EQ(lines_of({"abcd", "efgh", "ijkl\nab\n"}, 3), (Lines{"<too long>", "ab"}));
}

TEST(LineFramerTest, ReportsALongLineBeforeItEnds) {
    LineFramer framer{{.max_message_bytes = 3}};

    framer.feed("abcd");

    EXPECT_EQ(framer.next(), LineStep{LineTooLong{}});
    EXPECT_EQ(framer.pending_bytes(), 0U);
}

TEST(LineFramerTest, StoresAtMostTheLimitOfADroppedLine) {
    LineFramer framer{{.max_message_bytes = 1'000}};
    const std::string piece(500, 'x');

    std::size_t reported_count = 0;
    for (int index = 0; index < 10'000; ++index) {
        framer.feed(piece);
        reported_count += std::holds_alternative<LineTooLong>(framer.next()) ? 1 : 0;
    }

    EXPECT_EQ(reported_count, 1U);
    EXPECT_LE(framer.capacity_bytes(), 2'000U);
}

TEST(LineFramerTest, FreesTheMemoryOfALargeMessage) {
    LineFramer framer{{.max_message_bytes = 10'000'000}};
    framer.feed(std::string(5'000'000, 'x') + "\n");
    ASSERT_TRUE(std::holds_alternative<LineMessage>(framer.next()));

    framer.feed("a\n");

    EXPECT_EQ(framer.next(), LineStep{LineMessage{"a"}});
    EXPECT_LE(framer.capacity_bytes(), 1'000U);
}

TEST(LineFramerTest, FindsTheSameLinesInAnyPieces) {
    const std::vector<std::string_view> texts{"{}",   "\n",   "\r\n",    "\r",           " ",
                                              "abcd", "\n\n", "1234567", "{\"k\":\"v\"}"};
    resilience::testing::for_each_seed(2'000, [&texts](std::mt19937_64& generator) {
        const std::string stream = random_stream(texts, 30, generator);
        const auto limit = resilience::testing::random_between<std::size_t>(generator, 0, 20);

        EXPECT_EQ(lines_of(cut_at_random(stream, generator), limit), lines_of({stream}, limit));
    });
}

}  // namespace
}  // namespace holdfast::net
