#include "rest/requests/request_builder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/rest/rest_reading.hpp"

namespace holdfast::rest {
namespace {

/// Builds the request of a configured tool for these arguments.
resilience::Result<RestRequest, ArgumentFault> built(std::string_view tool,
                                                     std::string_view arguments) {
    const RestApi api = api_of(with_tool(tool));
    return built_request(api, api.tools.at(0), *Arguments::read(arguments));
}

std::string target_of(std::string_view tool, std::string_view arguments) {
    const auto request = built(tool, arguments);
    return request ? request->target : "refused: " + request.error().message;
}

std::string body_of(std::string_view tool, std::string_view arguments) {
    const auto request = built(tool, arguments);
    return request ? request->body : "refused: " + request.error().message;
}

std::string headers_of(std::string_view tool, std::string_view arguments) {
    const auto request = built(tool, arguments);
    return request ? request->headers : "refused: " + request.error().message;
}

constexpr std::string_view kAny = R"("input":{"type":"object","properties":{"q":{},"id":{},)"
                                  R"("n":{},"doc":{}}})";

std::string tool(std::string_view members) {
    return std::string{members} + "," + std::string{kAny};
}

TEST(RequestBuilderTest, PutsRemainingArgumentsOfAGetIntoTheQuery) {
    const std::string get = tool(R"("path":"/t/{id}")");

    EXPECT_EQ(target_of(get, R"({"id":"x","q":"a b&c","n":1.50})"), "/base/t/x?q=a%20b%26c&n=1.50");
    EXPECT_EQ(target_of(get, R"({"id":"x","q":null})"), "/base/t/x");
    EXPECT_EQ(target_of(get, R"({"id":"x","q":["a","b/c",1]})"), "/base/t/x?q=a&q=b%2Fc&q=1");
    EXPECT_EQ(target_of(get, R"({"id":"x","q":[]})"), "/base/t/x");
    EXPECT_EQ(target_of(get, R"({"id":"x","q":{"a":1}})"), "/base/t/x?q=%7B%22a%22%3A1%7D");
    EXPECT_EQ(body_of(get, R"({"id":"x","q":1})"), "");
}

TEST(RequestBuilderTest, PutsRemainingArgumentsOfAPostIntoTheBody) {
    const std::string post = tool(R"("method":"POST","path":"/t/{id}")");

    EXPECT_EQ(body_of(post, R"({"id":"x","n": 1.50 ,"q":"\u00e9","doc":{"b" : 1,"a":null}})"),
              R"({"n":1.50,"q":"\u00e9","doc":{"b" : 1,"a":null}})");
    EXPECT_EQ(body_of(post, R"({"id":"x"})"), "{}");
    EXPECT_EQ(target_of(post, R"({"id":"x","n":1})"), "/base/t/x");
    EXPECT_NE(headers_of(post, R"({"id":"x"})").find("Content-Type: application/json\r\n"),
              std::string::npos);
}

TEST(RequestBuilderTest, SendsNoBodyIfTheConfigSaysNone) {
    const std::string post = tool(R"("method":"POST","path":"/t","body":"none")");

    EXPECT_EQ(body_of(post, R"({"n":1})"), "");
    EXPECT_EQ(target_of(post, R"({"n":1})"), "/base/t?n=1");
    EXPECT_EQ(headers_of(post, "{}").find("Content-Type"), std::string::npos);
}

TEST(RequestBuilderTest, FillsInABodyFromTheConfig) {
    const std::string post =
        tool(R"("method":"POST","path":"/t","body":{"text":"{q}","opts":{"n":"{n}","mode":"fast"},)"
             R"("list":["{id}",true,null,2.50]})");

    EXPECT_EQ(body_of(post, R"({"q":"a","n":1.50,"id":"x"})"),
              R"({"text":"a","opts":{"n":1.50,"mode":"fast"},"list":["x",true,null,2.50]})");
    EXPECT_EQ(body_of(post, "{}"), R"({"opts":{"mode":"fast"},"list":[true,null,2.50]})");
    EXPECT_EQ(target_of(post, R"({"q":"a","doc":1})"), "/base/t?doc=1");
}

TEST(RequestBuilderTest, MakesOneArgumentTheWholeBody) {
    const std::string put = tool(R"("method":"PUT","path":"/t/{id}","body":"{doc}")");

    EXPECT_EQ(body_of(put, R"({"id":"x","doc":[1, 2]})"), "[1, 2]");
    EXPECT_EQ(body_of(put, R"({"id":"x"})"), "");
}

TEST(RequestBuilderTest, MapsArgumentsToTheQueryByName) {
    const std::string get =
        tool(R"("path":"/t","query":{"search term":"{q}","format":"json & more"})");

    EXPECT_EQ(target_of(get, R"({"q":"x","n":2})"),
              "/base/t?search%20term=x&format=json%20%26%20more&n=2");
    EXPECT_EQ(target_of(get, "{}"), "/base/t?format=json%20%26%20more");
}

TEST(RequestBuilderTest, MapsArgumentsToHeaders) {
    const std::string get = tool(R"("path":"/t","headers":{"X-Q":"{q}","X-Fixed":"f"})");

    EXPECT_TRUE(headers_of(get, R"({"q":"v"})").ends_with("X-Q: v\r\nX-Fixed: f\r\n"));
    EXPECT_EQ(headers_of(get, "{}").find("X-Q"), std::string::npos);
    EXPECT_EQ(target_of(get, R"({"q":"v"})"), "/base/t");
}

TEST(RequestBuilderTest, RejectsArgumentsThatWouldBreakAHeader) {
    const std::string get = tool(R"("path":"/t","headers":{"X-Q":"{q}"})");
    for (const std::string_view value :
         {R"("a\r\nX-Evil: 1")", R"("a\nb")", R"("\u0000")", R"("\u00e9")", "[1]", "{}"}) {
        EXPECT_TRUE(headers_of(get, R"({"q":)" + std::string{value} + "}")
                        .starts_with("refused: The argument \"q\" becomes a header"))
            << value;
    }
}

TEST(RequestBuilderTest, KeepsTheLastOfDuplicateArguments) {
    EXPECT_EQ(target_of(tool(R"("path":"/t")"), R"({"q":"a","q":"b"})"), "/base/t?q=b");
}

TEST(RequestBuilderTest, SendsTheHeadersOfTheWholeApi) {
    const RestApi api = api_of(R"("headers":{"X-App":"a"},)" + with_tool(R"("path":"/t")"));

    const auto request = built_request(api, api.tools.at(0), {});

    EXPECT_EQ(request->headers, "Accept: application/json, */*;q=0.5\r\nX-App: a\r\n");
}

TEST(ArgumentsTest, LimitsTheirNumber) {
    EXPECT_TRUE(Arguments::read(R"({"a":1,"b":2})", {.max_arguments = 2}));
    EXPECT_FALSE(Arguments::read(R"({"a":1,"b":2,"c":3})", {.max_arguments = 2}));
    EXPECT_FALSE(Arguments::read("[1]"));
}

}  // namespace
}  // namespace holdfast::rest
