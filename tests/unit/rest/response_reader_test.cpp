#include "rest/answers/response_reader.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::rest {
namespace {

using namespace std::chrono_literals;
using Kind = downstream::CallFault::Kind;
using resilience::Delivery;

net::HttpHeaders typed(std::string_view type) {
    net::HttpHeaders headers;
    if (!type.empty()) {
        headers.add("content-type", type);
    }
    return headers;
}

downstream::CallResult read(std::string_view body, std::string_view type = "application/json",
                            int status = 200, const RestTool& tool = {}, const RestApi& api = {}) {
    const net::HttpHeaders headers = typed(type);
    return read_answer(api, tool, {.status = status, .headers = headers, .body = body}, {}).result;
}

std::string result(std::string_view body, std::string_view type = "application/json",
                   const RestTool& tool = {}) {
    const auto answer = read(body, type, 200, tool);
    return answer ? std::string{answer->body()} : "fault: " + answer.error().message;
}

std::string detail(std::string_view body, std::string_view type = "application/json") {
    const auto answer = read(body, type, 422);
    return answer ? "no fault" : answer.error().detail;
}

TEST(ResponseReaderTest, ReturnsAnObjectAsTextAndAsStructure) {
    EXPECT_EQ(result(R"( {"a": 1.50} )"), R"({"content":[{"type":"text","text":"{\"a\": 1.50}"}],)"
                                          R"("structuredContent":{"a": 1.50}})");
}

TEST(ResponseReaderTest, ReturnsOtherJsonAsTextOnly) {
    EXPECT_EQ(result("[1, 2]"), R"({"content":[{"type":"text","text":"[1, 2]"}]})");
    EXPECT_EQ(result(R"("a\nb")"), R"({"content":[{"type":"text","text":"a\nb"}]})");
    EXPECT_EQ(result("null"), R"({"content":[{"type":"text","text":"null"}]})");
}

TEST(ResponseReaderTest, ReturnsThePartThatTheConfigNames) {
    const RestTool tool{.result = {{"data", "0"}}};

    EXPECT_EQ(result(R"({"data":[{"id":7}]})", "application/json", tool),
              R"({"content":[{"type":"text","text":"{\"id\":7}"}],"structuredContent":{"id":7}})");
    EXPECT_EQ(result(R"({"data":["t"]})", "application/json", tool),
              R"({"content":[{"type":"text","text":"t"}]})");
    EXPECT_EQ(result(R"({"other":1})", "application/json", tool),
              R"({"content":[{"type":"text","text":"{\"other\":1}"}],)"
              R"("structuredContent":{"other":1}})");
}

TEST(ResponseReaderTest, ReturnsTextUnchanged) {
    EXPECT_EQ(result("<b>\xC3\xA9</b>", "text/html; charset=utf-8"),
              "{\"content\":[{\"type\":\"text\",\"text\":\"<b>\xC3\xA9</b>\"}]}");
    EXPECT_EQ(result("a,b", "text/csv"), R"({"content":[{"type":"text","text":"a,b"}]})");
    EXPECT_EQ(result("plain", ""), R"({"content":[{"type":"text","text":"plain"}]})");
}

TEST(ResponseReaderTest, ReturnsImagesAndAudioAsSuch) {
    EXPECT_EQ(result("\x89PNG", "image/PNG"),
              R"({"content":[{"type":"image","data":"iVBORw==","mimeType":"image/png"}]})");
    EXPECT_EQ(result("RIFF", "audio/wav"),
              R"({"content":[{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}]})");
}

TEST(ResponseReaderTest, ATypeThatIsNotUtf8DoesNotDamageTheAnswer) {
    EXPECT_EQ(
        result("x", "image/\xff"),
        "{\"content\":[{\"type\":\"image\",\"data\":\"eA==\",\"mimeType\":\"image/\ufffd\"}]}");
}

TEST(ResponseReaderTest, SaysThatThereIsNoContent) {
    const auto answer = read("", "", 204);

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body(), R"({"content":[{"type":"text","text":"The server answered with HTTP )"
                              R"(status 204 and no content."}]})");
    EXPECT_EQ(answer->delivery, Delivery::answered);
}

TEST(ResponseReaderTest, ReportsInvalidAnswersAsMalformed) {
    for (const auto& [body, type] :
         {std::pair{"{\"a\":", "application/json"}, std::pair{"<html>", "application/problem+json"},
          std::pair{"\xFF\xFE", "application/octet-stream"}, std::pair{"\xFF", "text/plain"}}) {
        const auto answer = read(body, type);

        ASSERT_FALSE(answer) << type;
        EXPECT_EQ(answer.error().kind, Kind::malformed) << type;
        EXPECT_EQ(answer.error().delivery, Delivery::sent) << type;
    }
}

TEST(ResponseReaderTest, DistinguishesStatuses) {
    const std::vector<std::pair<int, Kind>> cases{
        {400, Kind::http_status}, {401, Kind::unauthorized}, {403, Kind::unauthorized},
        {404, Kind::http_status}, {422, Kind::http_status},  {429, Kind::rate_limited},
        {500, Kind::http_status}, {503, Kind::http_status}};
    for (const auto& [status, kind] : cases) {
        const auto answer = read(R"({"detail":"d"})", "application/json", status);

        ASSERT_FALSE(answer) << status;
        EXPECT_EQ(answer.error().kind, kind) << status;
        EXPECT_EQ(answer.error().http_status, status);
        EXPECT_EQ(answer.error().detail, "d");
        EXPECT_EQ(answer.error().delivery, Delivery::answered);
    }
}

TEST(ResponseReaderTest, ReturnsTheRetryDelay) {
    net::HttpHeaders headers = typed("application/json");
    headers.add("Retry-After", "7");

    const auto answer =
        read_answer({}, {}, {.status = 429, .headers = headers, .body = "{}"}, {}).result;

    EXPECT_EQ(answer.error().retry_after, 7s);
}

TEST(ResponseReaderTest, FindsTheErrorTextOfTheBackend) {
    EXPECT_EQ(detail(R"({"detail":"No such \"trace\"."})"), "No such \"trace\".");
    EXPECT_EQ(detail(R"({"detail":[{"loc":["body"],"msg":"m"}]})"),
              R"([{"loc":["body"],"msg":"m"}])");
    EXPECT_EQ(detail(R"({"detail":null,"message":"m"})"), "m");
    EXPECT_EQ(detail(R"({"error":{"message":"deep"}})"), "deep");
    EXPECT_EQ(detail(R"({"error":"flat"})"), "flat");
    EXPECT_EQ(detail(R"({"code":1})"), R"({"code":1})");
    EXPECT_EQ(detail("<html>\n\n  Bad \x01 gateway</html>", "text/html"),
              "<html> Bad gateway</html>");
    EXPECT_EQ(detail("\x89PNG", "image/png"), "");
    EXPECT_EQ(detail("", "text/plain"), "");
}

TEST(ResponseReaderTest, PrefersTheErrorPathsOfTheTool) {
    const RestTool tool{.error_detail = {{{"why", "0"}}}};

    const auto answer = read(R"({"detail":"d","why":["w"]})", "application/json", 400, tool);

    EXPECT_EQ(answer.error().detail, "w");
}

TEST(ResponseReaderTest, CutsTheErrorTextAtItsLimit) {
    const RestApi api{.max_detail_bytes = 4};

    const auto answer = read(R"({"detail":"abc\u00e9f"})", "application/json", 400, {}, api);

    EXPECT_EQ(answer.error().detail, "abc");
}

TEST(ResponseReaderTest, RendersTheTextAndKeepsTheJsonAsStructure) {
    const RestTool tool{.text = AnswerTemplate::parsed("{{a}}-{{b}}").value()};
    const net::HttpHeaders headers = typed("application/json");

    const ReadAnswer read =
        read_answer({}, tool, {.status = 200, .headers = headers, .body = R"({"a": 1.50})"}, {});

    EXPECT_EQ(read.result->body(),
              R"({"content":[{"type":"text","text":"1.5-"}],"structuredContent":{"a": 1.50}})");
    EXPECT_EQ(read.missing_fields, std::vector<std::size_t>{1});
    EXPECT_EQ(tool.text->fields().at(1), "b");
}

TEST(ResponseReaderTest, WrapsAListOrPlainValueInAnObjectForTheStructure) {
    const RestTool tool{.text = AnswerTemplate::parsed("{{.}}").value()};

    EXPECT_EQ(
        result("[1, 2]", "application/json", tool),
        R"({"content":[{"type":"text","text":"1, 2"}],"structuredContent":{"items":[1, 2]}})");
    EXPECT_EQ(result("\"t\"", "application/json", tool),
              R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"value":"t"}})");
}

TEST(ResponseReaderTest, RejectsAnythingButTheExpectedJson) {
    const RestTool tool{.expects = AnswerForm::json};

    EXPECT_EQ(result("{}", "application/vnd.api+json", tool),
              R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{}})");
    EXPECT_EQ(result("{}", "", tool),
              R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{}})");
    EXPECT_EQ(result("{}", "text/html", tool),
              "fault: The server answered with HTTP status 200 and the content type \"text/html\" "
              "instead of JSON.");
    EXPECT_EQ(result("", "application/json", tool),
              "fault: The server answered with HTTP status 200 and no content instead of JSON.");
    EXPECT_EQ(result("junk", "", tool), "fault: The server's answer is not JSON: junk");
    EXPECT_EQ(read("<html>", "text/html", 200, tool).error().delivery, Delivery::sent);
}

TEST(ResponseReaderTest, ReportsARedirectWithItsStatusAsSent) {
    const auto answer = read("<html>moved</html>", "text/html", 302);

    EXPECT_EQ(answer.error().message,
              "The server redirects (HTTP status 302) to another address, and redirects are not "
              "followed.");
    EXPECT_EQ(answer.error().detail, "");
    EXPECT_EQ(answer.error().http_status, 302);
    EXPECT_EQ(answer.error().delivery, Delivery::sent);
}

TEST(ResponseReaderTest, HidesSecretsThatTheBackendRepeats) {
    const net::HttpHeaders headers = typed("application/json");

    const auto answer = read_answer({}, {},
                                    {.status = 401,
                                     .headers = headers,
                                     .body = R"({"detail":"key k-123 and k-123 are bad"})"},
                                    {"k-123"})
                            .result;

    EXPECT_EQ(answer.error().detail, "key [redacted] and [redacted] are bad");
    EXPECT_EQ(answer.error().message.find("k-123"), std::string::npos);
}

TEST(RefusalTest, IsReportedAsNotSent) {
    const downstream::Answer error = refusal_with("no", RefusalForm::error);
    const downstream::Answer plain = refusal_with("no", RefusalForm::result);

    EXPECT_EQ(error.body(), R"({"content":[{"type":"text","text":"no"}],"isError":true})");
    EXPECT_EQ(plain.body(), R"({"content":[{"type":"text","text":"no"}]})");
    EXPECT_EQ(error.delivery, Delivery::not_sent);
    EXPECT_EQ(plain.delivery, Delivery::not_sent);
    EXPECT_TRUE(error.says_error);
    EXPECT_FALSE(plain.says_error);
}

}  // namespace
}  // namespace holdfast::rest
