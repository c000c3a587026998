#include "base/uri.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::base {
namespace {

std::string described(const std::optional<Authority>& authority) {
    if (!authority) {
        return "none";
    }
    return authority->host + (authority->port ? " " + std::to_string(*authority->port) : "");
}

TEST(UriTest, ParsesAuthorities) {
    EXPECT_EQ(described(parse_authority("Example.COM:8080")), "example.com 8080");
    EXPECT_EQ(described(parse_authority("a_b.c-d")), "a_b.c-d");
    EXPECT_EQ(described(parse_authority("host:")), "host");
    EXPECT_EQ(described(parse_authority("127.0.0.1:0")), "127.0.0.1 0");
    EXPECT_EQ(described(parse_authority("[::1]:81")), "::1 81");
    EXPECT_EQ(described(parse_authority("[2001:DB8::1]")), "2001:db8::1");
}

TEST(UriTest, KeepsTheZoneOfAnAddress) {
    EXPECT_EQ(described(parse_authority("[fe80::1%eth0]:80")), "fe80::1%eth0 80");
    EXPECT_EQ(described(parse_authority("[fe80::1%25eth0]")), "fe80::1%eth0");
    EXPECT_EQ(described(parse_authority("[fe80::1%]")), "none");
    EXPECT_EQ(described(parse_authority("[fe80::1%a/b]")), "none");
    EXPECT_EQ(described(parse_authority("[fe80::x%eth0]")), "none");
}

TEST(UriTest, RejectsTextsThatAreNotAuthorities) {
    for (const std::string_view text :
         {"",          ":80",        "user@host", "user:secret@host", "ho st",      "ho,st",
          "h%41",      "host:65536", "host:8x",   "host:-1",          "host:80:80", "::1",
          "[::1",      "[::1]x",     "[]",        "[127.0.0.1]",      "[v1.x]",     "[::1%25lo]x",
          "host/path", "host?query"}) {
        EXPECT_EQ(described(parse_authority(text)), "none") << text;
    }
}

TEST(UriTest, CutsThePortOff) {
    EXPECT_EQ(without_port("host:80"), "host");
    EXPECT_EQ(without_port("host"), "host");
    EXPECT_EQ(without_port("[::1]:80"), "[::1]");
    EXPECT_EQ(without_port("[::1]"), "[::1]");
    EXPECT_EQ(without_port(""), "");
}

TEST(UriTest, KeepsPathAndQueryOfAUrlAsWritten) {
    const auto url = parse_url("HTTPS://Host:1/A|b?x=[1]&y=%zz#part");

    ASSERT_TRUE(url);
    EXPECT_EQ(url->scheme, "https");
    EXPECT_EQ(described(url->authority), "host 1");
    EXPECT_EQ(url->target, "/A|b?x=[1]&y=%zz");
    EXPECT_EQ(parse_url("ws://host?q")->target, "/?q");
    EXPECT_EQ(parse_url("ws://host#q")->target, "/");
}

TEST(UriTest, RejectsTextsThatAreNotUrls) {
    for (const std::string_view text :
         {"", "host", "http:host", "http:/host", "1http://host", "ht_tp://host", "http://",
          "http://u@host", "http://host/a b", "http://host/\n", "http://host/\xc3\xa9"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
    EXPECT_TRUE(parse_url("http://host/" + std::string(8000, 'x')));
    EXPECT_FALSE(parse_url("http://host/" + std::string(9000, 'x')));
}

// The examples of RFC 3986, sections 5.4.1 and 5.4.2.
TEST(UriTest, ResolvesReferencesAsTheRfcDoes) {
    const std::vector<std::pair<std::string_view, std::string_view>> examples{
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http:g"},
    };
    for (const auto& [reference, expected] : examples) {
        EXPECT_EQ(resolve_uri("http://a/b/c/d;p?q", reference), expected) << reference;
    }
}

TEST(UriTest, ResolvesReferencesThatAreNotValidUris) {
    EXPECT_EQ(resolve_uri("", "#/$defs/My Type"), "#/$defs/My Type");
    EXPECT_EQ(resolve_uri("tree", "node"), "node");
    EXPECT_EQ(resolve_uri("a/tree", "./node#x"), "a/node#x");
    EXPECT_EQ(resolve_uri("urn:uuid:1", "#x"), "urn:uuid:1#x");
    EXPECT_EQ(resolve_uri("http://a", "x|y"), "http://a/x|y");
}

TEST(UriTest, SplitsTheFragmentOff) {
    EXPECT_EQ(split_fragment("a#b#c").document, "a");
    EXPECT_EQ(split_fragment("a#b#c").fragment, "b#c");
    EXPECT_EQ(split_fragment("a").document, "a");
    EXPECT_EQ(split_fragment("a").fragment, "");
}

TEST(UriTest, EncodesAllButUnreservedCharacters) {
    EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
    EXPECT_EQ(percent_encoded("a b/c?d&e=f+%"), "a%20b%2Fc%3Fd%26e%3Df%2B%25");
    EXPECT_EQ(percent_encoded("\xc3\xbc\n"), "%C3%BC%0A");
    EXPECT_EQ(percent_encoded(""), "");
}

TEST(UriTest, DecodesCodesAndKeepsEverythingElse) {
    EXPECT_EQ(percent_decoded("a%20b%2fc%2Fd+"), "a b/c/d+");
    EXPECT_EQ(percent_decoded("%"), "%");
    EXPECT_EQ(percent_decoded("100%"), "100%");
    EXPECT_EQ(percent_decoded("%4"), "%4");
    EXPECT_EQ(percent_decoded("%zz%-1%41"), "%zz%-1A");
    EXPECT_EQ(percent_decoded(percent_encoded("any \x01\xff text%")), "any \x01\xff text%");
}

TEST(UriTest, FindsTheFirstValueOfAQueryParameter) {
    EXPECT_EQ(query_value("/p?a=1&b=2%20&a=3", "a"), "1");
    EXPECT_EQ(query_value("/p?a=1&b=2%20&a=3", "b"), "2%20");
    EXPECT_EQ(query_value("/p?a=b=c", "a"), "b=c");
    EXPECT_EQ(query_value("/p?a", "a"), "");
    EXPECT_EQ(query_value("/p?a=", "a"), "");
    EXPECT_EQ(query_value("/p?ab=1", "a"), std::nullopt);
    EXPECT_EQ(query_value("/p?", "a"), std::nullopt);
    EXPECT_EQ(query_value("/a=1", "a"), std::nullopt);
}

TEST(UriTest, KnowsTheHostsOfThisMachine) {
    for (const std::string_view host : {"localhost", "127.0.0.1", "127.0.0.2", "127.255.255.255",
                                        "::1", "[::1]", "[0:0:0:0:0:0:0:1]"}) {
        EXPECT_TRUE(is_loopback_host(host)) << host;
    }
    for (const std::string_view host :
         {"", "127.", "127.1", "127.evil.example", "127.0.0.1.evil.example", "localhost.example",
          "128.0.0.1", "0.0.0.0", "::", "[::1", "[127.0.0.1]", "::1%lo", "[::2]", "2130706433"}) {
        EXPECT_FALSE(is_loopback_host(host)) << host;
    }
}

}  // namespace
}  // namespace holdfast::base
