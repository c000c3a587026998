#include "net/http_url.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::net {
namespace {

// As one text, to compare and to print.
std::string described(const NetResult<HttpUrl>& url) {
    if (!url) {
        return "error: " + url.error().message;
    }
    return (url->has_tls ? "tls " : "plain ") + url->host + " " + std::to_string(url->port) + " " +
           url->target;
}

std::string resolved(const std::string& base, const std::string& reference) {
    return described(resolved_url(*parsed_url(base), reference));
}

TEST(HttpUrlTest, TakesUrlsApart) {
    EXPECT_EQ(described(parsed_url("http://example.com")), "plain example.com 80 /");
    EXPECT_EQ(described(parsed_url("HTTPS://Example.COM/A?b=C#d")), "tls example.com 443 /A?b=C");
    EXPECT_EQ(described(parsed_url("ws://a_b.c-d:8080/mcp")), "plain a_b.c-d 8080 /mcp");
    EXPECT_EQ(described(parsed_url("wss://host?q=a@b:c")), "tls host 443 /?q=a@b:c");
    EXPECT_EQ(described(parsed_url("http://[::1]:81/x")), "plain ::1 81 /x");
    EXPECT_EQ(described(parsed_url("http://host:")), "plain host 80 /");
}

TEST(HttpUrlTest, RefusesInvalidUrls) {
    const std::vector<std::string> wrong{
        "",
        "example.com",
        "http:/example.com",
        "http:",
        "://x",
        "ftp://example.com",
        "file:///etc/passwd",
        "http://",
        "http:///path",
        "http://:80/",
        "http://user@host/",
        "http://user:secret@host/",
        "http://host:0/",
        "http://host:65536/",
        "http://host:8x/",
        "http://host:-1/",
        "http://[::1",
        "http://[::1]x/",
        "http://[/]/",
        "http://ho st/",
        "http://host/a b",
        "http://host/a\r\nX: y",
        "http://host/\x80",
        "http://ho,st/",
        "http://host/" + std::string(9000, 'x'),
    };
    for (const std::string& text : wrong) {
        const auto url = parsed_url(text);

        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().code, NetErrc::invalid_request);
        EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
    }
}

TEST(HttpUrlTest, WritesTheAuthority) {
    EXPECT_EQ(parsed_url("http://host:80")->authority(), "host");
    EXPECT_EQ(parsed_url("http://host:443")->authority(), "host:443");
    EXPECT_EQ(parsed_url("https://host:443")->authority(), "host");
    EXPECT_EQ(parsed_url("https://[::1]:8443")->authority(), "[::1]:8443");
}

TEST(HttpUrlTest, ComparesOrigins) {
    const auto base = *parsed_url("http://host/a");
    EXPECT_TRUE(base.has_same_origin(*parsed_url("http://HOST:80/b")));
    EXPECT_TRUE(base.has_same_origin(*parsed_url("ws://host/b")));
    EXPECT_FALSE(base.has_same_origin(*parsed_url("https://host:80/b")));
    EXPECT_FALSE(base.has_same_origin(*parsed_url("http://host:81/")));
    EXPECT_FALSE(base.has_same_origin(*parsed_url("http://other/")));
}

TEST(HttpUrlTest, ResolvesReferences) {
    const std::string base = "http://host:8000/a/b/c?d=e";
    EXPECT_EQ(resolved(base, "/messages?id=1"), "plain host 8000 /messages?id=1");
    EXPECT_EQ(resolved(base, "x"), "plain host 8000 /a/b/x");
    EXPECT_EQ(resolved(base, "x/../y/./z"), "plain host 8000 /a/b/y/z");
    EXPECT_EQ(resolved(base, "../x"), "plain host 8000 /a/x");
    EXPECT_EQ(resolved(base, "../../../../x"), "plain host 8000 /x");
    EXPECT_EQ(resolved(base, ".."), "plain host 8000 /a/");
    EXPECT_EQ(resolved(base, "."), "plain host 8000 /a/b/");
    EXPECT_EQ(resolved(base, "/../.."), "plain host 8000 /");
    EXPECT_EQ(resolved(base, "?x=../y"), "plain host 8000 /a/b/c?x=../y");
    EXPECT_EQ(resolved(base, ""), "plain host 8000 /a/b/c?d=e");
    EXPECT_EQ(resolved(base, "#x"), "plain host 8000 /a/b/c?d=e");
    EXPECT_EQ(resolved(base, "/x?y#z"), "plain host 8000 /x?y");
    EXPECT_EQ(resolved(base, "x:y/z"),
              "error: the URL does not begin with a scheme and a host, as in http://host");
    EXPECT_EQ(resolved(base, "/a:b"), "plain host 8000 /a:b");
    EXPECT_EQ(resolved(base, "//other/x"), "plain other 80 /x");
    EXPECT_EQ(resolved("https://host/", "//other"), "tls other 443 /");
    EXPECT_EQ(resolved(base, "https://other/x"), "tls other 443 /x");
    EXPECT_TRUE(resolved(base, "/a b").starts_with("error"));
    EXPECT_TRUE(resolved(base, "/a\r\nb").starts_with("error"));
}

}  // namespace
}  // namespace holdfast::net
