#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The preset `commontrace` with unusable answers of its backend: the agent always gets a readable
// sentence in time, and never a result that is marked as an error.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

const std::vector<std::string> kLongTimeouts{"COMMONTRACE_READ_TIMEOUT=20",
                                             "COMMONTRACE_WRITE_TIMEOUT=20"};

/// Returns the text of a failure without its own text.
std::string unexpected(const std::string& what, Effect effect) {
    return "[CommonTrace error] Unexpected error: " + what + ". " +
           (effect == Effect::reads ? "Continuing without results." : kUncertain);
}

using CommonTraceAnswers = CommonTraceTest;

INSTANTIATE_TEST_SUITE_P(Over, CommonTraceAnswers, ::testing::Values(kAgentLegs[0], kAgentLegs[1]),
                         name_of_leg);

TEST_P(CommonTraceAnswers, HtmlWithStatus200IsNotAResult) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    for (const TraceCall& call : kTraceCalls) {
        backend.answer_with(call.line, {.status = 200,
                                        .content_type = "text/html; charset=utf-8",
                                        .body = "<html>Please log in</html>"});

        const std::string answer = agent().request(request_of(call));

        EXPECT_EQ(readable_text(answer),
                  unexpected("The server answered with HTTP status 200 and the content type "
                             "\"text/html\" instead of JSON",
                             call.effect));
        EXPECT_EQ(member_text(answer, "code"), "\"MALFORMED_RESPONSE\"") << answer;
    }
}

TEST_P(CommonTraceAnswers, JunkThatClaimsToBeJsonIsReported) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    for (const TraceCall& call : kTraceCalls) {
        backend.answer(call.line, 200, "{\"results\":[}");

        EXPECT_EQ(called(call), unexpected("The server's answer claims to be JSON, but is not: "
                                           "{\"results\":[}",
                                           call.effect));
    }
}

TEST_P(CommonTraceAnswers, JunkWithoutAContentTypeIsReported) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    backend.answer_with(kListTags.line, {.status = 200, .content_type = "", .body = "junk"});

    EXPECT_EQ(called(kListTags),
              unexpected("The server's answer is not JSON: junk", Effect::reads));
}

TEST_P(CommonTraceAnswers, RedirectsAreNotFollowedAndNameTheirStatus) {
    HttpBackend backend;
    HttpBackend other;
    start(backend.url(), kLongTimeouts);
    for (const int status : {301, 302, 303, 307, 308}) {
        for (const TraceCall& call : kTraceCalls) {
            backend.answer_with(call.line, {.status = status,
                                            .headers = "Location: " + other.url() + "/login\r\n",
                                            .body = "<html>moved</html>"});
            const std::string host = other.url().substr(std::string_view{"http://"}.size());

            EXPECT_EQ(called(call),
                      unexpected("The server redirects (HTTP status " + std::to_string(status) +
                                     ") to the host " + host + ", and redirects are not followed",
                                 call.effect));
        }
    }
    EXPECT_TRUE(other.requests().empty());
}

TEST_P(CommonTraceAnswers, TenMegabytesAreOverTheLimit) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    const std::string huge =
        "{\"tags\":[\"" + std::string(std::size_t{10} * 1024 * 1024, 'x') + "\"]}";
    for (const TraceCall& call : {kListTags, kContribute}) {
        backend.answer(call.line, 200, huge);

        const std::string answer = agent().request(request_of(call));

        EXPECT_EQ(readable_text(answer),
                  unexpected("The server's answer is too large: the body of the answer is over the "
                             "limit of 8388608 bytes",
                             call.effect));
        EXPECT_EQ(member_text(answer, "code"), "\"RESULT_TOO_LARGE\"") << answer;
    }
}

TEST_P(CommonTraceAnswers, AnErrorWithTenMegabytesOfTextIsKnownByItsStatus) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    const std::string huge(std::size_t{10} * 1024 * 1024, 'x');
    backend.answer(kListTags.line, 503, huge);
    EXPECT_EQ(called(kListTags), unavailable_text(Effect::reads));

    backend.answer(kListTags.line, 404, huge);
    EXPECT_TRUE(called(kListTags).starts_with("[CommonTrace error] HTTP 404: "));
}

TEST_P(CommonTraceAnswers, AnAnswerJustBelowTheLimitIsShown) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    backend.answer(kListTags.line, 200,
                   "{\"tags\":[\"" + std::string(std::size_t{8} * 1024 * 1024 - 100, 'x') + "\"]}");

    const std::string text = called(kListTags);

    EXPECT_TRUE(text.starts_with("1 tag:\nxxx")) << text.substr(0, 100);
    EXPECT_LE(text.size(), 65'536U);
    EXPECT_TRUE(
        text.ends_with("[Text cut at the size limit. structuredContent has the whole "
                       "answer.]"));
}

TEST_P(CommonTraceAnswers, AnAnswerWithoutABodyIsReported) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    for (const TraceCall& call : {kListTags, kContribute}) {
        backend.answer(call.line, 200, "");
        EXPECT_EQ(called(call),
                  unexpected("The server answered with HTTP status 200 and no content instead of "
                             "JSON",
                             call.effect));
    }
}

TEST_P(CommonTraceAnswers, JsonOfAnotherShapeIsStillAReadableResult) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    for (const std::string_view body :
         {"{}", "[]", "null", "7", "\"text\"", R"({"tags":{"a":1}})", R"({"tags":"one"})",
          R"({"tags":[null,[[]],{"a":"b"}]})", R"({"tags":"\ud800"})"}) {
        backend.answer(kListTags.line, 200, std::string{body});

        EXPECT_NE(called(kListTags), "") << body;
    }
    EXPECT_NE(scene.gateway().program().rest_of_error_line(
                  R"(tool "list_tags": the answer has no field "tags")"),
              "");
}

/// Serves one call manually, and then closes the connection.
std::string answered_by_hand(TestAgent& agent, const LoopbackListener& listener,
                             const TraceCall& call, std::string_view bytes) {
    const std::string id = agent.send(request_of(call));
    {
        const ByteStream connection = listener.accept();
        EXPECT_NE(http_request_from(connection), "");
        EXPECT_TRUE(connection.write(bytes));
    }
    return agent.answer_to(id);
}

TEST_P(CommonTraceAnswers, AnInvalidHttpAnswerIsReported) {
    const LoopbackListener listener;
    start(listener.url(), kLongTimeouts);
    for (const TraceCall& call : {kListTags, kContribute}) {
        const std::string text = readable_text(
            answered_by_hand(agent(), listener, call, "This is not HTTP at all.\r\n\r\n"));

        EXPECT_TRUE(text.starts_with(
            "[CommonTrace error] Unexpected error: The server's answer is not HTTP: "))
            << text;
        EXPECT_TRUE(text.ends_with(call.effect == Effect::reads ? ". Continuing without results."
                                                                : ". " + kUncertain))
            << text;
        EXPECT_EQ(text.find(".."), std::string::npos) << text;
    }
}

TEST_P(CommonTraceAnswers, ABodyThatIsCutOffIsALostConnection) {
    const LoopbackListener listener;
    start(listener.url(), kLongTimeouts);
    for (const TraceCall& call : {kListTags, kContribute}) {
        const std::string answer = answered_by_hand(
            agent(), listener, call,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"ta");

        EXPECT_EQ(readable_text(answer), unavailable_text(call.effect));
        EXPECT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
        EXPECT_EQ(member_text(answer, "sideEffects"),
                  call.effect == Effect::reads ? "\"none\"" : "\"possible\"")
            << answer;
    }
}

TEST_P(CommonTraceAnswers, AnswersThatCannotBeReadDoNotOpenTheCircuit) {
    HttpBackend backend;
    start(backend.url(), kLongTimeouts);
    backend.answer_with(kListTags.line,
                        {.status = 200, .content_type = "text/html", .body = "<html>"});
    for (int count = 0; count < 12; ++count) {
        EXPECT_EQ(code_of_call(kListTags), "MALFORMED_RESPONSE");
    }
    EXPECT_EQ(backend.requests().size(), 12U);
}

TEST_P(CommonTraceAnswers, ArriveWithinTheTimeLimitOfTheTool) {
    const LoopbackListener listener;
    start(listener.url());
    const auto begin = Clock::now();
    const std::string id = agent().send(request_of(kListTags));
    const ByteStream connection = listener.accept();
    EXPECT_NE(http_request_from(connection), "");
    EXPECT_TRUE(connection.write("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"ta"));

    EXPECT_EQ(readable_text(agent().answer_to(id)), timeout_text(Effect::reads));

    EXPECT_GE(Clock::now() - begin, 200ms);
    EXPECT_LT(Clock::now() - begin, 10s);
}

}  // namespace
}  // namespace holdfast::test
