#include "net/sse_writer.hpp"

#include <gtest/gtest.h>

#include "stream_pieces.hpp"

namespace holdfast::net {
namespace {

std::string written(const SseOutgoing& event) {
    std::string out;
    append_sse_event(out, event);
    return out;
}

TEST(SseWriterTest, WritesOneDataLineForOneLine) {
    EXPECT_EQ(written({.data = "{}"}), "data: {}\n\n");
}

TEST(SseWriterTest, WritesEveryField) {
    EXPECT_EQ(written({.data = "{}",
                       .type = "endpoint",
                       .id = "7",
                       .retry = std::chrono::milliseconds{1'500}}),
              "event: endpoint\nid: 7\nretry: 1500\ndata: {}\n\n");
}

TEST(SseWriterTest, SplitsDataAtEveryKindOfLineEnd) {
    EXPECT_EQ(written({.data = "a\nb\r\nc\rd\n"}),
              "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
}

TEST(SseWriterTest, WritesAnIdWithoutAMessage) {
    EXPECT_EQ(events_of({written({.data = "", .id = "7"})}), std::vector<std::string>{"7|none"});
}

TEST(SseWriterTest, KeepAliveIsNotAnEvent) {
    EXPECT_EQ(events_of({kSseKeepAlive}), std::vector<std::string>{"|none"});
}

TEST(SseWriterTest, AParserReadsWhatWasWritten) {
    const std::vector<std::string_view> texts{"{\"a\":1}", " ", ":", "\n", "data: ", "id: 3", "x"};
    resilience::testing::for_each_seed(1'000, [&texts](std::mt19937_64& generator) {
        const std::string data = "." + random_stream(texts, 8, generator);
        const std::string stream =
            std::string{kSseKeepAlive} + written({.data = data, .type = "t", .id = "5"});

        const auto events = events_of(cut_at_random(stream, generator));

        EXPECT_EQ(events, (std::vector<std::string>{"t|" + data + "|5", "5|none"}));
    });
}

}  // namespace
}  // namespace holdfast::net
