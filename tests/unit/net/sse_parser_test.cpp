#include "net/sse_parser.hpp"

#include <gtest/gtest.h>

#include "stream_pieces.hpp"

namespace holdfast::net {
namespace {

using Events = std::vector<std::string>;

TEST(SseParserTest, ReadsAnEvent) {
    EXPECT_EQ(events_of({"event: message\nid: 7\ndata: {}\n\n"}),
              (Events{"message|{}|7", "7|none"}));
}

TEST(SseParserTest, AcceptsEveryLineEnd) {
    const Events expected{"|a|", "|b|", "|none"};

    EXPECT_EQ(events_of({"data:a\n\ndata:b\n\n"}), expected);
    EXPECT_EQ(events_of({"data:a\r\n\r\ndata:b\r\n\r\n"}), expected);
    EXPECT_EQ(events_of({"data:a\r\rdata:b\r\r"}), expected);
    EXPECT_EQ(events_of({"data:a\r", "\n\r", "\ndata:b\n\r\n"}), expected);
}

TEST(SseParserTest, DoesNotWaitForTheNewlineAfterACarriageReturn) {
    EXPECT_EQ(events_of({"data:a\r\r"}), (Events{"|a|", "|none"}));
}

TEST(SseParserTest, SkipsAByteOrderMarkAtTheBeginningOnly) {
    EXPECT_EQ(events_of({"\xEF", "\xBB", "\xBF", "data:a\n\n\xEF\xBB\xBF", "data:b\n\n"}),
              (Events{"|a|", "|none"}));
    EXPECT_EQ(events_of({"\xEF\xBB", "data:a\n\n"}), (Events{"|none"}));
}

TEST(SseParserTest, SkipsCommentsAndUnknownFields) {
    EXPECT_EQ(events_of({": hello\ndata:a\n:\nother: x\nnothing\n\n"}), (Events{"|a|", "|none"}));
}

TEST(SseParserTest, StripsOneSpaceAfterTheColon) {
    EXPECT_EQ(events_of({"data:  a\n\n"}), (Events{"| a|", "|none"}));
}

TEST(SseParserTest, JoinsDataLines) {
    EXPECT_EQ(events_of({"data: a\ndata\ndata:b\n\n"}), (Events{"|a\n\nb|", "|none"}));
}

TEST(SseParserTest, RemembersTheIdOfAnEventWithoutData) {
    EXPECT_EQ(events_of({"id: 9\ndata:\n\n"}), (Events{"9|none"}));
    EXPECT_EQ(events_of({"id: 9\nevent: x\n\ndata: a\n\n"}), (Events{"|a|9", "9|none"}));
}

TEST(SseParserTest, DropsAnEventWithoutItsBlankLine) {
    EXPECT_EQ(events_of({"id: 1\ndata: a\n\nid: 2\ndata: b\n"}), (Events{"|a|1", "1|none"}));
}

TEST(SseParserTest, IgnoresAnIdWithNul) {
    using namespace std::string_view_literals;
    EXPECT_EQ(events_of({"id: 1\nid: 2\0\ndata: a\n\n"sv}), (Events{"|a|1", "1|none"}));
}

TEST(SseParserTest, AnEmptyIdResetsTheId) {
    EXPECT_EQ(events_of({"id: 1\ndata: a\n\nid\ndata: b\n\n"}), (Events{"|a|1", "|b|", "|none"}));
}

TEST(SseParserTest, ReadsRetryTimesThatAreNumbers) {
    EXPECT_EQ(events_of({"retry: 1500\n"}), (Events{"|1500"}));
    EXPECT_EQ(events_of({"retry: 15x\nretry:\nretry: -1\n"}), (Events{"|none"}));
    EXPECT_EQ(events_of({"retry: 99999999999999999999999\n"}), (Events{"|3600000"}));
}

TEST(SseParserTest, RecognisesMessageEvents) {
    EXPECT_TRUE((SseEvent{.type = "", .data = "x", .id = ""}.is_message()));
    EXPECT_TRUE((SseEvent{.type = "message", .data = "x", .id = ""}.is_message()));
    EXPECT_FALSE((SseEvent{.type = "endpoint", .data = "x", .id = ""}.is_message()));
}

TEST(SseParserTest, ReportsALargeEventOnceAndContinues) {
    const SseParserOptions small{.max_event_bytes = 4, .max_field_bytes = 4};

    EXPECT_EQ(events_of({"data: 12345\ndata: 1\n\ndata: 1\n\n"}, small),
              (Events{"<too long>", "|1|", "|none"}));
    EXPECT_EQ(events_of({"data: 12\ndata: 34\n\ndata: 1234\n\n"}, small),
              (Events{"<too long>", "|1234|", "|none"}));
    EXPECT_EQ(events_of({"id: 1\n\nid: 12345\ndata: 1\n\n"}, small),
              (Events{"<too long>", "1|none"}));
}

TEST(SseParserTest, ReportsALongLineBeforeItEnds) {
    SseParser parser{{.max_event_bytes = 4}};

    parser.feed("data: 123456789");

    EXPECT_EQ(parser.next(), SseStep{SseTooLong{}});
    EXPECT_EQ(parser.next(), SseStep{SseNeedBytes{}});
}

TEST(SseParserTest, AcceptsCommentsOfAnyLength) {
    const std::string comment = ":" + std::string(10'000, 'x') + "\ndata: 1\n\n";

    EXPECT_EQ(events_of({comment}, {.max_event_bytes = 4}), (Events{"|1|", "|none"}));
}

TEST(SseParserTest, FindsTheSameEventsInAnyPieces) {
    const std::vector<std::string_view> texts{
        "\n",      "\r",       "\r\n", "data: 1",  "data:", "data",          "id: 5", "id",
        "event:x", "retry: 7", ":c",   "\n\n",     " ",     "\xEF\xBB\xBF",  ":",     "\xEF\xBB",
        "data: a", "\n\n",     "\n",   "12345678", "\r\r",  "event: message"};
    resilience::testing::for_each_seed(3'000, [&texts](std::mt19937_64& generator) {
        const std::string stream = random_stream(texts, 40, generator);
        const SseParserOptions options{
            .max_event_bytes = resilience::testing::random_between<std::size_t>(generator, 0, 12),
            .max_field_bytes = resilience::testing::random_between<std::size_t>(generator, 0, 8)};

        EXPECT_EQ(events_of(cut_at_random(stream, generator), options),
                  events_of({stream}, options));
    });
}

}  // namespace
}  // namespace holdfast::net
