#include "front/cors.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <string>
#include <vector>

namespace holdfast::front {
namespace {

constexpr std::string_view kMcpNames =
    "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, "
    "mcp-protocol-version, mcp-session-id";

net::HttpRequest options_of(std::vector<net::HttpHeader> headers) {
    net::HttpRequest request{.method = "OPTIONS", .path = "/mcp"};
    for (const net::HttpHeader& header : headers) {
        request.headers.add(header.name, header.value);
    }
    return request;
}

/// Returns the names that a page may send after it has requested these.
std::string allowed_for(std::string_view asked) {
    const net::HttpReply reply =
        preflight_reply(options_of({{"Access-Control-Request-Headers", asked}}));
    constexpr std::string_view kName = "Access-Control-Allow-Headers: ";
    const std::size_t begin = reply.headers.find(kName) + kName.size();
    return reply.headers.substr(begin, reply.headers.find("\r\n", begin) - begin);
}

TEST(CorsTest, RecognisesAPreflightByItsMethodAndBothHeaders) {
    const net::HttpHeader origin{"origin", "http://localhost:1"};
    const net::HttpHeader method{"access-control-request-method", "POST"};
    net::HttpRequest call = options_of({origin, method});
    call.method = "POST";

    EXPECT_TRUE(is_preflight(options_of({origin, method})));
    EXPECT_FALSE(is_preflight(options_of({origin})));
    EXPECT_FALSE(is_preflight(options_of({method})));
    EXPECT_FALSE(is_preflight(call));
}

TEST(CorsTest, AlwaysAllowsTheHeadersThatMcpNeeds) {
    const net::HttpReply reply = preflight_reply(options_of({}));

    EXPECT_EQ(reply.status, 204);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(reply.headers,
              "Access-Control-Allow-Methods: GET, POST, DELETE\r\n"
              "Access-Control-Allow-Headers: " +
                  std::string{kMcpNames} + "\r\nAccess-Control-Max-Age: 7200\r\n");
}

TEST(CorsTest, AllowsTheHeadersThatAPageRequests) {
    const std::string names{kMcpNames};

    EXPECT_EQ(allowed_for("mcp-param-region"), names + ", mcp-param-region");
    EXPECT_EQ(allowed_for("traceparent,x_key"), names + ", traceparent, x_key");
    EXPECT_EQ(allowed_for(" a ,\tB2\t,"), names + ", a, B2");
    EXPECT_EQ(allowed_for("content-type,Mcp-Session-Id"), names);
    EXPECT_EQ(allowed_for("mcp"), names + ", mcp");
}

TEST(CorsTest, AcceptsEveryValidCharacterInNames) {
    const std::string names{kMcpNames};

    for (int code = 0; code <= 0xFF; ++code) {
        const auto character = static_cast<char>(code);
        const bool is_letter_or_digit = code < 0x80 && std::isalnum(code) != 0;
        const bool is_mark = code != 0 && std::strchr("!#$%&'*+-.^_`|~", code) != nullptr;
        const std::string name = std::string{"x"} + character + "y";

        const std::string allowed = allowed_for(name);

        if (is_letter_or_digit || is_mark) {
            EXPECT_EQ(allowed, names + ", " + name) << code;
        } else if (character == ',') {
            EXPECT_EQ(allowed, names + ", x, y");
        } else {
            EXPECT_EQ(allowed, names) << code;
        }
    }
}

TEST(CorsTest, SkipsInvalidNames) {
    for (const std::string_view asked :
         {"", ",", " , ", "a b", "*", "x: y", "a\"", "caf\xC3\xA9", "a;b"}) {
        EXPECT_EQ(allowed_for(asked), kMcpNames) << asked;
    }
    EXPECT_EQ(allowed_for("a b,fine,*"), std::string{kMcpNames} + ", fine");
}

TEST(CorsTest, LimitsTheNumberOfNames) {
    std::string asked;
    for (int index = 0; index < 10'000; ++index) {
        asked += "a,";
    }

    const std::string allowed = allowed_for(asked);

    EXPECT_EQ(allowed.size(), kMcpNames.size() + std::size_t{3} * 2'048);
}

TEST(CorsTest, NeverCutsAName) {
    constexpr std::size_t kLimit = 4'096;
    const std::string names{kMcpNames};
    const std::string long_name(kLimit - 4, 'x');

    EXPECT_EQ(allowed_for(long_name + ",yyy"), names + ", " + long_name + ", yyy");
    EXPECT_EQ(allowed_for(long_name + ",yyy,z"), names + ", " + long_name + ", yyy");
    EXPECT_EQ(allowed_for(long_name + ",yyyy"), names + ", " + long_name);
    EXPECT_EQ(allowed_for(long_name + ",yyyy,z"), names + ", " + long_name);
    EXPECT_EQ(allowed_for(std::string(kLimit, 'x')), names + ", " + std::string(kLimit, 'x'));
    EXPECT_EQ(allowed_for(std::string(kLimit + 1, 'x')), names);
}

TEST(CorsTest, NamesTheOriginAndTheExposedHeaders) {
    EXPECT_EQ(cors_headers("https://ide.example"),
              "Access-Control-Allow-Origin: https://ide.example\r\n"
              "Vary: Origin\r\n"
              "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate\r\n");
}

}  // namespace
}  // namespace holdfast::front
