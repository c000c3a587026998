// Replays the corpora of the fuzz targets, so that every finding stays a test.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/http_request_input.hpp"
#include "fuzz/http_response_input.hpp"
#include "stream_pieces.hpp"
#include "tests/support/corpus.hpp"

namespace holdfast::net {
namespace {

std::vector<std::string> corpus(const std::string& name) {
    return test::read_corpus(std::filesystem::path{HOLDFAST_FUZZ_CORPUS} / name);
}

std::vector<std::string_view> bytes_of(std::string_view stream) {
    std::vector<std::string_view> pieces;
    pieces.reserve(stream.size());
    for (std::size_t index = 0; index < stream.size(); ++index) {
        pieces.push_back(stream.substr(index, 1));
    }
    return pieces;
}

TEST(FuzzCorpusTest, HttpRequestsAreTheSameInAnyPieces) {
    const auto inputs = corpus("http_request");
    EXPECT_FALSE(inputs.empty());

    for (const std::string& input : inputs) {
        EXPECT_EQ(fuzz::read_request(input, 1), fuzz::read_request(input, input.size()));
    }
}

TEST(FuzzCorpusTest, LinesAreTheSameInAnyPieces) {
    const auto inputs = corpus("line_framer");
    EXPECT_FALSE(inputs.empty());

    for (const std::string& input : inputs) {
        EXPECT_EQ(lines_of(bytes_of(input), 16), lines_of({input}, 16));
    }
}

TEST(FuzzCorpusTest, SseEventsAreTheSameInAnyPieces) {
    const auto inputs = corpus("sse_parser");
    EXPECT_FALSE(inputs.empty());

    for (const std::string& input : inputs) {
        const SseParserOptions options{.max_event_bytes = 32, .max_field_bytes = 8};
        EXPECT_EQ(events_of(bytes_of(input), options), events_of({input}, options));
    }
}

TEST(FuzzCorpusTest, HttpAnswersAreTheSameInAnyPieces) {
    const auto inputs = corpus("http_response");
    EXPECT_FALSE(inputs.empty());

    for (const std::string& input : inputs) {
        const std::string whole = fuzz::answer_in_pieces(input, input.size() + 1);
        EXPECT_EQ(fuzz::answer_in_pieces(input, 1), whole);
        EXPECT_EQ(fuzz::answer_in_pieces(input, 7), whole);
    }
}

}  // namespace
}  // namespace holdfast::net
