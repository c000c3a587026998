#include "net/http/wire/http_body_decoder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {
namespace {

using Kind = BodyFraming::Kind;

struct Decoded {
    std::string body = {};
    std::size_t used_bytes = 0;
    bool is_done = false;
    bool has_failed = false;

    friend bool operator==(const Decoded&, const Decoded&) = default;
};

Decoded decoded(BodyFraming framing, const std::vector<std::string_view>& pieces) {
    HttpBodyDecoder decoder{framing};
    Decoded result;
    for (std::string_view piece : pieces) {
        while (!piece.empty() && !decoder.is_done()) {
            const auto step = decoder.next(piece);
            if (!step) {
                result.has_failed = true;
                return result;
            }
            result.body += step->body;
            result.used_bytes += step->consumed_bytes;
            piece.remove_prefix(step->consumed_bytes);
        }
    }
    result.is_done = decoder.is_done();
    return result;
}

Decoded decoded_chunks(std::string_view bytes) {
    return decoded({.kind = Kind::chunked}, {bytes});
}

TEST(HttpBodyDecoderTest, EndsAfterTheLength) {
    EXPECT_EQ(decoded({.kind = Kind::length, .length_bytes = 4}, {"ab", "cdef"}),
              (Decoded{.body = "abcd", .used_bytes = 4, .is_done = true}));
    EXPECT_TRUE(HttpBodyDecoder{{}}.is_done());
    EXPECT_FALSE((HttpBodyDecoder{{.length_bytes = 1}}.may_end_here()));
}

TEST(HttpBodyDecoderTest, EndsWhenThePeerCloses) {
    EXPECT_EQ(decoded({.kind = Kind::until_close}, {"ab", "cd"}),
              (Decoded{.body = "abcd", .used_bytes = 4}));
    EXPECT_TRUE((HttpBodyDecoder{{.kind = Kind::until_close}}.may_end_here()));
}

TEST(HttpBodyDecoderTest, FindsTheSameChunksInAnyPieces) {
    const std::string stream =
        "5\r\nhello\r\n00A;a=\"b\"\r\n0123456789\r\n1 \r\n!\r\n000\r\nT: 1\r\nU: 2\r\n\r\n";
    const Decoded whole = decoded_chunks(stream + "next");
    EXPECT_EQ(whole,
              (Decoded{.body = "hello0123456789!", .used_bytes = stream.size(), .is_done = true}));

    for (std::size_t first = 0; first < stream.size(); ++first) {
        for (std::size_t second = first; second < stream.size(); ++second) {
            const std::string_view all = stream;
            EXPECT_EQ(decoded({.kind = Kind::chunked},
                              {all.substr(0, first), all.substr(first, second - first),
                               all.substr(second)}),
                      whole);
        }
    }
}

TEST(HttpBodyDecoderTest, IsNotDoneBeforeTheLastByte) {
    const std::string stream = "1\r\nx\r\n0\r\n\r\n";
    for (std::size_t size = 0; size < stream.size(); ++size) {
        EXPECT_FALSE(decoded_chunks(std::string_view{stream}.substr(0, size)).is_done) << size;
    }
    EXPECT_TRUE(decoded_chunks(stream).is_done);
}

TEST(HttpBodyDecoderTest, RejectsMalformedChunks) {
    const std::vector<std::string> wrong{
        "\r\n",
        "x\r\n",
        "-1\r\n",
        "5\nhello",
        "5\r\nhelloX",
        "5\r\nhello\rX",
        "5\r\nhello\n",
        "5\rX",
        "0x5\r\n",
        "ffffffffffffffffff\r\n",
        "5;a\nb\r\n",
        "0\r\n\n",
        "0\r\nT: 1\n",
        "0\r\n\rX",
        "5;" + std::string(5000, 'x'),
        "0\r\n" + std::string(50'000, 'x'),
    };
    for (const std::string& bytes : wrong) {
        EXPECT_TRUE(decoded_chunks(bytes).has_failed) << bytes.substr(0, 30);
    }
}

}  // namespace
}  // namespace holdfast::net
