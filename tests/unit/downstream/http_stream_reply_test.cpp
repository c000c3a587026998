#include <gtest/gtest.h>

#include "unit/downstream/http_bench.hpp"

// Replies that come as a stream of events.

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

TEST(HttpStreamReplyTest, TellsWhatComesBeforeTheResponseInOrder) {
    HttpBench bench{kLegacy};
    const auto heard = std::make_shared<HeardCall>();
    const std::string log =
        R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})";
    bench.client->posts.push_back(event_reply(
        {{.bytes = event(kProgress)}, {.after = 10ms, .bytes = event(log) + event(kResult)}}));
    Request request = tool_call();
    request.wants_progress = true;

    const auto result = bench.run(std::move(request), heard);

    ASSERT_TRUE(result);
    EXPECT_EQ(result->body(), R"({"n":1})");
    EXPECT_EQ(result->http_status, 200);
    ASSERT_EQ(heard->notifications.size(), 2U);
    EXPECT_EQ(heard->notifications[0].method, "notifications/progress");
    EXPECT_EQ(heard->notifications[0].params, R"({"progressToken":1})");
    EXPECT_EQ(heard->notifications[1].method, "notifications/message");
    EXPECT_TRUE(bench.client->seen_by("POST")[0].says(R"("_meta":{"progressToken":1})"));
}

TEST(HttpStreamReplyTest, ReadsNoFurtherThanTheResponse) {
    HttpBench bench{kLegacy};
    FakeReply reply = event_reply({{.bytes = event(kResult)}});
    reply.hangs = true;
    bench.client->posts.push_back(std::move(reply));

    auto call = bench.start(tool_call());
    bench.loop.settle();

    ASSERT_TRUE(call.has_ended());
    EXPECT_TRUE(call.result());
    EXPECT_EQ(bench.client->open_count, 0);
}

TEST(HttpStreamReplyTest, HandsChangesOfListsToTheLink) {
    HttpBench bench{kLegacy};
    const auto heard = std::make_shared<HeardCall>();
    bench.client->posts.push_back(event_reply(
        {{.bytes = event(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})") +
                   event(kResult)}}));

    ASSERT_TRUE(bench.run(tool_call(), heard));

    EXPECT_TRUE(heard->notifications.empty());
    ASSERT_EQ(bench.owner->notifications.size(), 1U);
    EXPECT_EQ(bench.owner->notifications[0].method, "notifications/tools/list_changed");
}

TEST(HttpStreamReplyTest, PostsTheAnswerToAQuestion) {
    HttpBench bench{kLegacy, "s-1"};
    const auto heard = std::make_shared<HeardCall>();
    bench.client->posts.push_back(
        event_reply({{.bytes = event(kElicit)}, {.after = 1s, .bytes = event(kResult)}}));
    auto call = bench.start(tool_call(), heard);
    bench.loop.settle();
    ASSERT_EQ(heard->questions.size(), 1U);
    EXPECT_EQ(heard->questions[0].method, "elicitation/create");
    EXPECT_EQ(heard->questions[0].params, R"({"message":"?"})");

    heard->questions[0].answer({.body = R"({"action":"accept"})"});
    heard->questions[0].answer({.body = R"({"action":"decline"})"});
    heard->questions.clear();
    bench.loop.run_for(1s);

    ASSERT_TRUE(call.has_ended());
    const auto messages = bench.client->messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0], R"({"jsonrpc":"2.0","id":"q-9","result":{"action":"accept"}})");
    EXPECT_TRUE(bench.client->seen_by("POST")[1].has_line("Mcp-Session-Id: s-1"));
}

TEST(HttpStreamReplyTest, RefusesAQuestionThatIsDropped) {
    HttpBench bench{kLegacy};
    const auto heard = std::make_shared<HeardCall>();
    bench.client->posts.push_back(
        event_reply({{.bytes = event(kElicit)}, {.after = 1s, .bytes = event(kResult)}}));
    auto call = bench.start(tool_call(), heard);
    bench.loop.settle();

    heard->questions.clear();
    bench.loop.settle();

    const auto messages = bench.client->messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find(R"("id":"q-9","error":{)"), std::string::npos);
    bench.loop.run_for(1s);
}

TEST(HttpStreamReplyTest, AnswersPingsAndRefusesQuestionsThatNobodyHears) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(
        event_reply({{.bytes = event(R"({"jsonrpc":"2.0","id":5,"method":"ping"})") +
                               event(kElicit) + event(kResult)}}));

    ASSERT_TRUE(bench.run(tool_call()));

    const auto messages = bench.client->messages();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0], R"({"jsonrpc":"2.0","id":5,"result":{}})");
    EXPECT_NE(messages[1].find(R"("error")"), std::string::npos);
}

TEST(HttpStreamReplyTest, CallsJunkOnTheStreamMalformed) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(event_reply({{.bytes = event("{nonsense")}}));

    EXPECT_EQ(bench.run(tool_call()).error().kind, Kind::malformed);
}

TEST(HttpStreamReplyTest, LosesAReplyThatBreaksOffWithoutAnEventId) {
    HttpBench bench{kLegacy};
    FakeReply reply = event_reply({{.bytes = event(kProgress)}});
    reply.breaks = true;
    bench.client->posts.push_back(std::move(reply));

    const auto result = bench.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(result.error().delivery, Delivery::sent);
    EXPECT_EQ(bench.client->seen_by("GET").size(), 1U);  // The session's own stream.
}

TEST(HttpStreamReplyTest, ResumesAfterExactlyTheTimeThatTheServerWants) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->posts.push_back(event_reply({{.bytes = "id: e-1\nretry: 500\ndata:\n\n"}}));
    bench.open();
    bench.client->gets.push_back(event_reply({{.bytes = "id: e-2\n" + event(kResult)}}));
    const auto began_at = bench.now();

    const auto result = bench.run(tool_call());

    ASSERT_TRUE(result);
    const auto gets = bench.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 2U);
    EXPECT_EQ(gets[1].at - began_at, 500ms);
    EXPECT_TRUE(gets[1].has_line("Last-Event-ID: e-1"));
    EXPECT_TRUE(gets[1].has_line("Accept: text/event-stream"));
    EXPECT_TRUE(gets[1].has_line("Mcp-Session-Id: s-1"));
}

TEST(HttpStreamReplyTest, ResumesFromTheLastEventThatItSaw) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(event_reply({{.bytes = "id: a\n" + event(kProgress)}}));
    bench.open();
    FakeReply second = event_reply({{.bytes = "id: b\n" + event(kProgress) + "id: c\ndata: {"}});
    second.breaks = true;
    bench.client->gets.push_back(std::move(second));
    bench.client->gets.push_back(event_reply({{.bytes = event(kResult)}}));

    ASSERT_TRUE(bench.run(tool_call()));

    const auto gets = bench.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 3U);
    EXPECT_TRUE(gets[1].has_line("Last-Event-ID: a"));
    EXPECT_TRUE(gets[2].has_line("Last-Event-ID: b"));
    EXPECT_EQ(gets[2].at - gets[1].at, 1s);
}

TEST(HttpStreamReplyTest, GivesUpResumingAfterItsNumberOfTries) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(event_reply({{.bytes = "id: a\ndata:\n\n"}}));
    bench.open();
    for (int i = 0; i < 10; ++i) {
        bench.client->gets.push_back(status_reply(503));
    }

    const auto result = bench.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(bench.client->seen_by("GET").size(), 1U + 5U);
}

TEST(HttpStreamReplyTest, DoesNotResumePastTheDeadline) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(event_reply({{.bytes = "id: a\nretry: 60000\ndata:\n\n"}}));
    Request request = tool_call();
    request.deadline = bench.within(10s);

    auto call = bench.start(std::move(request));
    bench.loop.run_for(10s);

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::timed_out);
    EXPECT_EQ(bench.client->seen_by("GET").size(), 1U);
    EXPECT_EQ(bench.client->messages().size(), 1U);
}

TEST(HttpStreamReplyTest, CanBeCancelledWhileItWaitsToResume) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(event_reply({{.bytes = "id: a\ndata:\n\n"}}));
    auto call = bench.start(tool_call());
    bench.loop.settle();

    call.cancel();
    bench.loop.settle();

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_EQ(bench.client->messages().size(), 1U);
}

TEST(HttpStreamReplyTest, NeverResumesAModernReply) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(event_reply({{.bytes = "id: a\n" + event(kProgress)}}));

    const auto result = bench.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(result.error().delivery, Delivery::sent);
    EXPECT_TRUE(bench.client->seen_by("GET").empty());
}

TEST(HttpStreamReplyTest, IgnoresRequestsOfAModernServer) {
    HttpBench bench{kModern};
    const auto heard = std::make_shared<HeardCall>();
    bench.client->posts.push_back(event_reply({{.bytes = event(kElicit) + event(kResult)}}));

    ASSERT_TRUE(bench.run(tool_call(), heard));

    EXPECT_TRUE(heard->questions.empty());
    EXPECT_TRUE(bench.client->messages().empty());
}

TEST(HttpStreamReplyTest, LimitsTheSizeOfAnEvent) {
    HttpBench bench{kModern};
    bench.parts.options.max_message_bytes = 10;
    bench.client->posts.push_back(event_reply({{.bytes = event(kResult)}}));

    EXPECT_EQ(bench.run(tool_call()).error().kind, Kind::too_large);
}

}  // namespace
}  // namespace holdfast::downstream::testing
