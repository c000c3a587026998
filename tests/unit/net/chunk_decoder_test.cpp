#include "net/http/wire/chunk_decoder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::net {
namespace {

using Progress = ChunkDecoder::Progress;

struct Decoded {
    Progress progress = Progress::needs_bytes;
    std::string body = {};
    std::size_t consumed_bytes = 0;

    friend bool operator==(const Decoded&, const Decoded&) = default;
};

Decoded decode(std::string_view bytes, std::size_t piece_bytes, std::size_t limit = 100) {
    ChunkDecoder decoder{limit};
    Decoded decoded;
    while (!bytes.empty() && decoded.progress == Progress::needs_bytes) {
        const std::string_view piece = bytes.substr(0, piece_bytes);
        const auto step = decoder.feed(piece, decoded.body);
        decoded.progress = step.progress;
        decoded.consumed_bytes += step.consumed_bytes;
        bytes.remove_prefix(piece.size());
    }
    return decoded;
}

TEST(ChunkDecoderTest, DecodesABodyInAnyPieces) {
    const std::string_view bytes =
        "3\r\nabc\r\n00a;name=\"v\" ; x\r\n0123456789\r\n0;last\r\nA: b\r\nC:\r\n\r\nnext";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        EXPECT_EQ(decode(bytes, piece),
                  (Decoded{Progress::complete, "abc0123456789", bytes.size() - 4}))
            << piece;
    }
}

TEST(ChunkDecoderTest, DecodesAnEmptyBody) {
    EXPECT_EQ(decode("0\r\n\r\n", 5), (Decoded{Progress::complete, "", 5}));
    EXPECT_EQ(decode("000\r\n\r\n", 1), (Decoded{Progress::complete, "", 7}));
}

TEST(ChunkDecoderTest, RejectsMalformedChunks) {
    for (const std::string_view bytes : {"\r\n",
                                         " 3\r\n",
                                         "3 \r\nabc",
                                         "+3\r\nabc",
                                         "-3\r\n",
                                         "0x3\r\nabc",
                                         "g\r\n",
                                         ";x\r\n",
                                         "3\nabc",
                                         "3\r\nabcd\r\n",
                                         "3\r\nabc\n",
                                         "3\r\nabc\rX",
                                         "3\r\nabc0\r\n\r\n",
                                         "3\rXabc",
                                         "3;a\nb\r\nabc",
                                         "3;\x01\r\n",
                                         "0\r\n\n",
                                         "0\r\n A: b\r\n",
                                         "0\r\nA\nB\r\n",
                                         "0\r\nA: b\r\n\rX",
                                         "1000000000000000\r\n",
                                         "ffffffffffffffff\r\n",
                                         "10000000000000003\r\nabc"}) {
        EXPECT_EQ(decode(bytes, bytes.size()).progress, Progress::malformed) << bytes;
        EXPECT_EQ(decode(bytes, 1).progress, Progress::malformed) << bytes;
    }
}

TEST(ChunkDecoderTest, AcceptsTheExtensionsOfTheGrammarOnly) {
    for (const std::string_view extensions :
         {";a", ";a;b", "; a", " ;a", "\t;\ta", ";a=b", ";a = b", ";a=\"\"", ";a=\"b;c\\\"d\" ;e",
          ";a=\"b c\";d"}) {
        const std::string bytes = "3" + std::string{extensions} + "\r\nabc\r\n0\r\n\r\n";
        EXPECT_EQ(decode(bytes, bytes.size()).progress, Progress::complete) << extensions;
        EXPECT_EQ(decode(bytes, 1).progress, Progress::complete) << extensions;
    }
    for (const std::string_view extensions :
         {";", ";;a", ";a;", ";a ", ";a=", ";a==b", ";=b", ";a=b c", ";a b", ";\"a\"", ";a=\"b",
          ";a=\"b\"c", ";a=\"b\\", ";a=b\"c\"", ";(a)", ";a=(b)", " a", ";a,b"}) {
        const std::string bytes = "3" + std::string{extensions} + "\r\nabc\r\n0\r\n\r\n";
        EXPECT_EQ(decode(bytes, bytes.size()).progress, Progress::malformed) << extensions;
        EXPECT_EQ(decode(bytes, 1).progress, Progress::malformed) << extensions;
    }
}

TEST(ChunkDecoderTest, RejectsABodyAboveTheLimitBeforeItArrives) {
    EXPECT_EQ(decode("4\r\n0123\r\n6\r\n012345\r\n0\r\n\r\n", 100, 10).progress,
              Progress::complete);
    EXPECT_EQ(decode("b\r\n", 100, 10).progress, Progress::too_large);
    EXPECT_EQ(decode("4\r\n0123\r\n7\r\n", 100, 10).progress, Progress::too_large);
}

TEST(ChunkDecoderTest, RejectsEndlessExtensionsAndTrailers) {
    const std::string long_text(5'000, 'x');

    EXPECT_EQ(decode("3;" + long_text, 100).progress, Progress::too_large);
    EXPECT_EQ(decode("0\r\nA: " + long_text, 100).progress, Progress::too_large);
    std::string trailers = "0\r\n";
    for (int count = 0; count < 2'000; ++count) {
        trailers += "A: b\r\n";
    }
    EXPECT_EQ(decode(trailers, 100).progress, Progress::too_large);
}

}  // namespace
}  // namespace holdfast::net
