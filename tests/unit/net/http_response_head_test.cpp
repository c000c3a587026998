#include "net/http/client/http_response_head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::net {
namespace {

NetResult<HttpResponseHead> head_of(const std::string& lines) {
    // The views point into the text.
    static std::string text;
    text = lines + "\r\n\r\n";
    return parsed_response_head(text);
}

TEST(HttpResponseHeadTest, ParsesAHead) {
    const auto head = head_of("HTTP/1.1 404 Not Found\r\nA: b\r\nC:\t d e \r\nEmpty:");

    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 404);
    ASSERT_EQ(head->headers.lines().size(), 3U);
    EXPECT_EQ(head->headers.find("a"), "b");
    EXPECT_EQ(head->headers.find("c"), "d e");
    EXPECT_EQ(head->headers.find("empty"), "");
}

TEST(HttpResponseHeadTest, DeterminesHowTheBodyEnds) {
    using Kind = BodyFraming::Kind;
    EXPECT_EQ(head_of("HTTP/1.1 200 OK")->framing.kind, Kind::until_close);
    EXPECT_EQ(head_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked")->framing.kind,
              Kind::chunked);
    const auto sized = head_of("HTTP/1.1 200 OK\r\ncontent-length: 12\r\nContent-Length: 12");
    EXPECT_EQ(sized->framing.kind, Kind::length);
    EXPECT_EQ(sized->framing.length_bytes, 12U);
    for (const char* status : {"100", "204", "304"}) {
        const auto empty = head_of("HTTP/1.1 " + std::string{status} + " X\r\nContent-Length: 9");
        EXPECT_EQ(empty->framing.kind, Kind::length);
        EXPECT_EQ(empty->framing.length_bytes, 0U);
    }
}

TEST(HttpResponseHeadTest, DeterminesWhetherTheConnectionStaysOpen) {
    const std::string length = "\r\nContent-Length: 0";
    EXPECT_TRUE(head_of("HTTP/1.1 200" + length)->keeps_alive);
    EXPECT_FALSE(head_of("HTTP/1.1 200 OK")->keeps_alive);
    EXPECT_FALSE(head_of("HTTP/1.1 200 OK\r\nConnection: a ,CLOSE" + length)->keeps_alive);
    EXPECT_TRUE(head_of("HTTP/1.1 200 OK\r\nConnection: closed" + length)->keeps_alive);
    EXPECT_FALSE(head_of("HTTP/1.0 200 OK" + length)->keeps_alive);
    EXPECT_TRUE(head_of("HTTP/1.0 200 OK\r\nConnection: Keep-Alive" + length)->keeps_alive);
}

TEST(HttpResponseHeadTest, RejectsAmbiguousHeads) {
    const std::vector<std::string> wrong{
        "",
        "HTTP/1.1",
        "HTTP/1.1 20",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 200OK",
        "HTTP/1.1 099 X",
        "HTTP/1.1 600 X",
        "HTTP/1.1 +20 X",
        "HTTP/1.2 200 OK",
        "HTTP/1.1  200 OK",
        "http/1.1 200 OK",
        "HTTP/1.1 200 O\nK",
        "HTTP/1.1 200 OK\r\nA",
        "HTTP/1.1 200 OK\r\n: b",
        "HTTP/1.1 200 OK\r\nA : b",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded",
        "HTTP/1.1 200 OK\r\nA: b\nC: d",
        "HTTP/1.1 200 OK\r\nA: b\rC: d",
        "HTTP/1.1 200 OK\r\nA: \x01",
        "HTTP/1.1 200 OK\r\nContent-Length:",
        "HTTP/1.1 200 OK\r\nContent-Length: 1 2",
        "HTTP/1.1 200 OK\r\nContent-Length: 0x10",
        "HTTP/1.1 200 OK\r\nContent-Length: +1",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 1",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity",
    };
    for (const std::string& lines : wrong) {
        const auto head = head_of(lines);

        ASSERT_FALSE(head) << lines;
        EXPECT_EQ(head.error().code, NetErrc::bad_answer);
    }
}

TEST(HeadFinderTest, FindsTheEndInAnyPieces) {
    const std::string head = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
    const std::string stream = head + "body\r\n\r\n";
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        HeadFinder finder{100};

        const auto first = finder.find(std::string_view{stream}.substr(0, cut));
        ASSERT_TRUE(first);
        EXPECT_EQ(first->has_value(), cut >= head.size());
        const auto found = first->has_value() ? *first : *finder.find(stream);
        EXPECT_EQ(found, head.size());
    }
}

TEST(HeadFinderTest, RejectsOtherProtocolsImmediately) {
    EXPECT_TRUE(HeadFinder{100}.find("HTT"));
    EXPECT_FALSE(HeadFinder{100}.find("HTTX"));
    EXPECT_FALSE(HeadFinder{100}.find("220 smtp ready"));
    EXPECT_FALSE(HeadFinder{20}.find("HTTP/1.1 200 OK\r\nA: b"));
    EXPECT_TRUE(HeadFinder{19}.find("HTTP/1.1 200 OK\r\n\r\nlong body"));
    EXPECT_FALSE(HeadFinder{18}.find("HTTP/1.1 200 OK\r\n\r\n"));
}

}  // namespace
}  // namespace holdfast::net
