#include <gtest/gtest.h>

#include "unit/downstream/http_link_fixture.hpp"

// Replies that arrive as a stream of events.

namespace holdfast::downstream::testing {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

constexpr auto kLegacy = mcp::Revision::v2025_11_25;
constexpr auto kModern = mcp::Revision::v2026_07_28;
const std::string kResult = R"({"jsonrpc":"2.0","id":1,"result":{"n":1}})";
const std::string kProgress =
    R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}})";
const std::string kElicit =
    R"({"jsonrpc":"2.0","id":"q-9","method":"elicitation/create","params":{"message":"?"}})";

class HttpStreamReplyTest : public CallStyleTest {};
INSTANTIATE_TEST_SUITE_P(CallStyles, HttpStreamReplyTest,
                         ::testing::Values(CallStyle::coroutine, CallStyle::observer),
                         name_of_style);

TEST_P(HttpStreamReplyTest, DeliversNotificationsBeforeTheResponseInOrder) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    const auto call_listener = std::make_shared<CallRecorder>();
    const std::string log =
        R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})";
    fixture.client->posts.push_back(event_reply(
        {{.bytes = event(kProgress)}, {.after = 10ms, .bytes = event(log) + event(kResult)}}));
    Request request = tool_call();
    request.wants_progress = true;

    const auto result = fixture.run(std::move(request), call_listener);

    ASSERT_TRUE(result);
    EXPECT_EQ(result->body(), R"({"n":1})");
    EXPECT_EQ(result->http_status, 200);
    ASSERT_EQ(call_listener->notifications.size(), 2U);
    EXPECT_EQ(call_listener->notifications[0].method, "notifications/progress");
    EXPECT_EQ(call_listener->notifications[0].params, R"({"progressToken":1})");
    EXPECT_EQ(call_listener->notifications[1].method, "notifications/message");
    EXPECT_TRUE(fixture.client->seen_by("POST")[0].says(R"("_meta":{"progressToken":1})"));
}

TEST_P(HttpStreamReplyTest, ReadsNoFurtherThanTheResponse) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    FakeReply reply = event_reply({{.bytes = event(kResult)}});
    reply.hangs = true;
    fixture.client->posts.push_back(std::move(reply));

    auto call = fixture.start(tool_call());
    fixture.loop.settle();

    ASSERT_TRUE(call.has_ended());
    EXPECT_TRUE(call.result());
    EXPECT_EQ(fixture.client->open_count, 0);
}

TEST_P(HttpStreamReplyTest, PassesListChangesToTheLink) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    const auto call_listener = std::make_shared<CallRecorder>();
    fixture.client->posts.push_back(event_reply(
        {{.bytes = event(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})") +
                   event(kResult)}}));

    ASSERT_TRUE(fixture.run(tool_call(), call_listener));

    EXPECT_TRUE(call_listener->notifications.empty());
    ASSERT_EQ(fixture.owner->notifications.size(), 1U);
    EXPECT_EQ(fixture.owner->notifications[0].method, "notifications/tools/list_changed");
}

TEST_P(HttpStreamReplyTest, PostsTheAnswerToAQuestion) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    const auto call_listener = std::make_shared<CallRecorder>();
    fixture.client->posts.push_back(
        event_reply({{.bytes = event(kElicit)}, {.after = 1s, .bytes = event(kResult)}}));
    auto call = fixture.start(tool_call(), call_listener);
    fixture.loop.settle();
    ASSERT_EQ(call_listener->questions.size(), 1U);
    EXPECT_EQ(call_listener->questions[0].method, "elicitation/create");
    EXPECT_EQ(call_listener->questions[0].params, R"({"message":"?"})");

    call_listener->questions[0].answer({.body = R"({"action":"accept"})"});
    call_listener->questions[0].answer({.body = R"({"action":"decline"})"});
    call_listener->questions.clear();
    fixture.loop.run_for(1s);

    ASSERT_TRUE(call.has_ended());
    const auto messages = fixture.client->messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0], R"({"jsonrpc":"2.0","id":"q-9","result":{"action":"accept"}})");
    EXPECT_TRUE(fixture.client->seen_by("POST")[1].has_line("Mcp-Session-Id: s-1"));
}

TEST_P(HttpStreamReplyTest, RefusesAQuestionThatIsDropped) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    const auto call_listener = std::make_shared<CallRecorder>();
    fixture.client->posts.push_back(
        event_reply({{.bytes = event(kElicit)}, {.after = 1s, .bytes = event(kResult)}}));
    auto call = fixture.start(tool_call(), call_listener);
    fixture.loop.settle();

    call_listener->questions.clear();
    fixture.loop.settle();

    const auto messages = fixture.client->messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find(R"("id":"q-9","error":{)"), std::string::npos);
    fixture.loop.run_for(1s);
}

TEST_P(HttpStreamReplyTest, AnswersPingsAndRefusesQuestionsWithoutAListener) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        event_reply({{.bytes = event(R"({"jsonrpc":"2.0","id":5,"method":"ping"})") +
                               event(kElicit) + event(kResult)}}));

    ASSERT_TRUE(fixture.run(tool_call()));

    const auto messages = fixture.client->messages();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0], R"({"jsonrpc":"2.0","id":5,"result":{}})");
    EXPECT_NE(messages[1].find(R"("error")"), std::string::npos);
}

TEST_P(HttpStreamReplyTest, ReportsInvalidMessagesOnTheStreamAsMalformed) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = event("{nonsense")}}));

    EXPECT_EQ(fixture.run(tool_call()).error().kind, Kind::malformed);
}

TEST_P(HttpStreamReplyTest, LosesAReplyThatBreaksOffWithoutAnEventId) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    FakeReply reply = event_reply({{.bytes = event(kProgress)}});
    reply.breaks = true;
    fixture.client->posts.push_back(std::move(reply));

    const auto result = fixture.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(result.error().delivery, Delivery::sent);
    EXPECT_EQ(fixture.client->seen_by("GET").size(), 1U);  // The session's own stream.
}

TEST_P(HttpStreamReplyTest, ResumesAfterExactlyTheDelayThatTheServerSets) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = "id: e-1\nretry: 500\ndata:\n\n"}}));
    fixture.open();
    fixture.client->gets.push_back(event_reply({{.bytes = "id: e-2\n" + event(kResult)}}));
    const auto began_at = fixture.now();

    const auto result = fixture.run(tool_call());

    ASSERT_TRUE(result);
    const auto gets = fixture.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 2U);
    EXPECT_EQ(gets[1].at - began_at, 500ms);
    EXPECT_TRUE(gets[1].has_line("Last-Event-ID: e-1"));
    EXPECT_TRUE(gets[1].has_line("Accept: text/event-stream"));
    EXPECT_TRUE(gets[1].has_line("Mcp-Session-Id: s-1"));
}

TEST_P(HttpStreamReplyTest, ResumesFromTheLastEventThatItSaw) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = "id: a\n" + event(kProgress)}}));
    fixture.open();
    FakeReply second = event_reply({{.bytes = "id: b\n" + event(kProgress) + "id: c\ndata: {"}});
    second.breaks = true;
    fixture.client->gets.push_back(std::move(second));
    fixture.client->gets.push_back(event_reply({{.bytes = event(kResult)}}));

    ASSERT_TRUE(fixture.run(tool_call()));

    const auto gets = fixture.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 3U);
    EXPECT_TRUE(gets[1].has_line("Last-Event-ID: a"));
    EXPECT_TRUE(gets[2].has_line("Last-Event-ID: b"));
    EXPECT_EQ(gets[2].at - gets[1].at, 1s);
}

TEST_P(HttpStreamReplyTest, StopsResumingAfterTheMaximumOfAttempts) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = "id: a\ndata:\n\n"}}));
    fixture.open();
    for (int i = 0; i < 10; ++i) {
        fixture.client->gets.push_back(status_reply(503));
    }

    const auto result = fixture.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(fixture.client->seen_by("GET").size(), 1U + 5U);
}

TEST_P(HttpStreamReplyTest, DoesNotResumePastTheDeadline) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = "id: a\nretry: 60000\ndata:\n\n"}}));
    Request request = tool_call();
    request.deadline = fixture.within(10s);

    auto call = fixture.start(std::move(request));
    fixture.loop.run_for(10s);

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::timed_out);
    EXPECT_EQ(fixture.client->seen_by("GET").size(), 1U);
    EXPECT_EQ(fixture.client->messages().size(), 1U);
}

TEST_P(HttpStreamReplyTest, CanBeCancelledWhileItWaitsToResume) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = "id: a\ndata:\n\n"}}));
    auto call = fixture.start(tool_call());
    fixture.loop.settle();

    call.cancel();
    fixture.loop.settle();

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_EQ(fixture.client->messages().size(), 1U);
}

TEST_P(HttpStreamReplyTest, NeverResumesAModernReply) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = "id: a\n" + event(kProgress)}}));

    const auto result = fixture.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(result.error().delivery, Delivery::sent);
    EXPECT_TRUE(fixture.client->seen_by("GET").empty());
}

TEST_P(HttpStreamReplyTest, IgnoresRequestsOfAModernServer) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    const auto call_listener = std::make_shared<CallRecorder>();
    fixture.client->posts.push_back(event_reply({{.bytes = event(kElicit) + event(kResult)}}));

    ASSERT_TRUE(fixture.run(tool_call(), call_listener));

    EXPECT_TRUE(call_listener->questions.empty());
    EXPECT_TRUE(fixture.client->messages().empty());
}

TEST_P(HttpStreamReplyTest, LimitsTheSizeOfAnEvent) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.parts.options.max_message_bytes = 10;
    fixture.client->posts.push_back(event_reply({{.bytes = event(kResult)}}));

    EXPECT_EQ(fixture.run(tool_call()).error().kind, Kind::too_large);
}

}  // namespace
}  // namespace holdfast::downstream::testing
