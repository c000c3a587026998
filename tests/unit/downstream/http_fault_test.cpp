#include "downstream/http_fault.hpp"

#include <gtest/gtest.h>

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using Kind = CallFault::Kind;
using resilience::Delivery;

net::HttpHeaders headers_of(
    std::initializer_list<std::pair<std::string_view, std::string_view>> lines) {
    net::HttpHeaders headers;
    for (const auto& [name, value] : lines) {
        headers.add(name, value);
    }
    return headers;
}

TEST(HttpFaultTest, ReadsARetryDelayInSeconds) {
    EXPECT_EQ(retry_after_of(headers_of({{"retry-after", "120"}})), 120s);
    EXPECT_EQ(retry_after_of(headers_of({{"Retry-After", "0"}})), 0s);
    EXPECT_EQ(retry_after_of(headers_of({{"Retry-After", "999999999"}})), 24h);
    EXPECT_EQ(retry_after_of(headers_of({{"Retry-After", "-1"}})), std::nullopt);
    EXPECT_EQ(retry_after_of(headers_of({{"Retry-After", "soon"}})), std::nullopt);
    EXPECT_EQ(retry_after_of(headers_of({})), std::nullopt);
}

TEST(HttpFaultTest, ReadsARetryDateRelativeToTheDateOfTheAnswer) {
    constexpr std::string_view kUntil = "Wed, 21 Oct 2026 07:28:00 GMT";

    EXPECT_EQ(retry_after_of(
                  headers_of({{"Date", "Wed, 21 Oct 2026 07:26:30 GMT"}, {"Retry-After", kUntil}})),
              90s);
    EXPECT_EQ(retry_after_of(
                  headers_of({{"Date", "Wed, 21 Oct 2026 08:00:00 GMT"}, {"Retry-After", kUntil}})),
              0s);
    EXPECT_EQ(retry_after_of(headers_of({{"Retry-After", kUntil}})), std::nullopt);
    EXPECT_EQ(retry_after_of(
                  headers_of({{"Date", "Wed, 31 Feb 2026 07:26:30 GMT"}, {"Retry-After", kUntil}})),
              std::nullopt);
}

TEST(HttpFaultTest, PutsTheServersTextOnOneLine) {
    EXPECT_EQ(cleaned_excerpt("a\r\n\r\n b\tc\x01"), "a b c");
    EXPECT_EQ(cleaned_excerpt("\n\n"), "");
    EXPECT_EQ(cleaned_excerpt("caf\xC3\xA9 \xFF\xC3"), "caf\xC3\xA9 ??");
    EXPECT_EQ(cleaned_excerpt("\xED\xA0\x80"), "???");
    EXPECT_EQ(cleaned_excerpt("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(HttpFaultTest, CutsTheServersTextBetweenCharacters) {
    const std::string excerpt = cleaned_excerpt(std::string(199, 'x') + "\xC3\xA9");

    EXPECT_EQ(excerpt, std::string(199, 'x'));
    EXPECT_EQ(cleaned_excerpt(std::string(1'000, 'x')).size(), 200U);
}

TEST(HttpFaultTest, QuotesTextsOnly) {
    const auto text = fault_of_status(500, headers_of({{"Content-Type", "text/plain"}}), "oops");
    const auto picture = fault_of_status(500, headers_of({{"Content-Type", "image/png"}}), "oops");

    EXPECT_EQ(text.message, "The server answered with HTTP status 500: oops");
    EXPECT_EQ(picture.message, "The server answered with HTTP status 500.");
}

TEST(HttpFaultTest, KeepsTheRetryDelayOfARateLimit) {
    const auto fault = fault_of_status(429, headers_of({{"Retry-After", "7"}}), "");

    EXPECT_EQ(fault.kind, Kind::rate_limited);
    EXPECT_EQ(fault.retry_after, 7s);
}

TEST(HttpFaultTest, NamesOnlyTheHostOfARedirect) {
    const auto headers = headers_of({{"Location", "https://u:p@b.example:8443/x?k=1"}});

    EXPECT_EQ(
        fault_of_status(302, headers, "body").message,
        "The server redirects (HTTP status 302) to the host b.example:8443, and redirects are "
        "not followed.");
    EXPECT_EQ(fault_of_status(302, headers_of({{"Location", "/login"}}), "").message,
              "The server redirects (HTTP status 302) to another address, and redirects are not "
              "followed.");
}

TEST(HttpFaultTest, DistinguishesTheFailuresOfAnExchange) {
    const auto kind_of = [](net::NetErrc code, bool may_have_arrived) {
        return fault_of(
            {.error = {.code = code, .message = "m"}, .may_have_arrived = may_have_arrived});
    };

    EXPECT_EQ(kind_of(net::NetErrc::closed, false).kind, Kind::not_connected);
    EXPECT_EQ(kind_of(net::NetErrc::closed, true).kind, Kind::connection_lost);
    EXPECT_EQ(kind_of(net::NetErrc::timed_out, false).kind, Kind::timed_out);
    EXPECT_EQ(kind_of(net::NetErrc::overloaded, false).kind, Kind::overloaded);
    EXPECT_EQ(kind_of(net::NetErrc::too_large, true).kind, Kind::too_large);
    EXPECT_EQ(kind_of(net::NetErrc::timed_out, false).delivery, Delivery::not_sent);
    EXPECT_EQ(kind_of(net::NetErrc::timed_out, true).delivery, Delivery::sent);
}

}  // namespace
}  // namespace holdfast::downstream
