#include <gtest/gtest.h>

#include "unit/downstream/http_link_fixture.hpp"

// Tests of a legacy session's own state, outside of calls.

namespace holdfast::downstream::testing {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

constexpr auto kLegacy = mcp::Revision::v2025_11_25;
const std::string kChanged = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
const std::string kLog =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})";
const std::string kAsk = R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})";

FakeReply open_stream(std::vector<FakeReply::Piece> pieces) {
    FakeReply reply = event_reply(std::move(pieces));
    reply.hangs = true;
    return reply;
}

std::shared_ptr<const AgentIdentity> agent(std::string key, bool is_session) {
    return std::make_shared<AgentIdentity>(
        AgentIdentity{.key = std::move(key), .is_session = is_session});
}

class HttpSessionTest : public CallStyleTest {};
INSTANTIATE_TEST_SUITE_P(CallStyles, HttpSessionTest,
                         ::testing::Values(CallStyle::coroutine, CallStyle::observer),
                         name_of_style);

TEST_P(HttpSessionTest, ReceivesNotificationsThatBelongToNoCall) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({{.bytes = event(kChanged)}}));

    fixture.open();

    ASSERT_EQ(fixture.owner->notifications.size(), 1U);
    EXPECT_EQ(fixture.owner->notifications[0].method, "notifications/tools/list_changed");
    const auto gets = fixture.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 1U);
    EXPECT_TRUE(gets[0].has_line("Accept: text/event-stream"));
    EXPECT_TRUE(gets[0].has_line("Mcp-Session-Id: s-1"));
    EXPECT_EQ(gets[0].headers.find("Last-Event-ID"), std::string::npos);
}

TEST_P(HttpSessionTest, DoesNotReopenAStreamThatIsNotOffered) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());

    fixture.open();
    fixture.loop.run_for(1h);

    EXPECT_EQ(fixture.client->seen_by("GET").size(), 1U);
    EXPECT_TRUE(fixture.owner->losses.empty());
}

TEST_P(HttpSessionTest, ReopensTheStreamWithAGrowingDelay) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    for (int i = 0; i < 4; ++i) {
        fixture.client->gets.push_back(status_reply(503));
    }

    fixture.open();
    fixture.loop.run_for(1h);

    const auto gets = fixture.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 5U);
    EXPECT_EQ(gets[1].at - gets[0].at, 1s);
    EXPECT_EQ(gets[2].at - gets[1].at, 2s);
    EXPECT_EQ(gets[3].at - gets[2].at, 4s);
}

TEST_P(HttpSessionTest, ResumesTheStreamWhereItBrokeOff) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(
        event_reply({{.bytes = "retry: 250\nid: x-7\n" + event(kChanged)}}));

    fixture.open();
    fixture.loop.run_for(1min);

    const auto gets = fixture.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 2U);
    EXPECT_EQ(gets[1].at - gets[0].at, 250ms);
    EXPECT_TRUE(gets[1].has_line("Last-Event-ID: x-7"));
}

TEST_P(HttpSessionTest, ADelayOfZeroDoesNotBecomeAHotLoop) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    for (int i = 0; i < 100; ++i) {
        fixture.client->gets.push_back(event_reply({{.bytes = "retry: 0\n" + event(kChanged)}}));
    }

    fixture.open();
    fixture.loop.run_for(10s);

    const auto gets = fixture.client->seen_by("GET");
    EXPECT_LE(gets.size(), 15U);
    EXPECT_GE(gets.size(), 10U);
}

TEST_P(HttpSessionTest, AsksTheLinkWhenNoCallIsInFlight) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({{.bytes = event(kAsk)}}));

    fixture.open();
    ASSERT_EQ(fixture.owner->questions.size(), 1U);
    fixture.owner->questions[0].answer({.body = R"({"roots":[]})"});
    fixture.loop.settle();

    EXPECT_EQ(fixture.client->messages(),
              std::vector<std::string>{R"({"jsonrpc":"2.0","id":"q","result":{"roots":[]}})"});
}

TEST_P(HttpSessionTest, AsksTheOnlyCallInFlight) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kAsk)}}));
    fixture.client->posts.push_back({.hangs = true});
    const auto call_listener = std::make_shared<CallRecorder>();
    auto call = fixture.start(tool_call(), call_listener);

    fixture.loop.run_for(1s);

    EXPECT_EQ(call_listener->questions.size(), 1U);
    EXPECT_TRUE(fixture.owner->questions.empty());
    call.cancel();
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, AsksOneOfSeveralCallsOfOneSession) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kAsk)}}));
    const auto call_listener = std::make_shared<CallRecorder>();
    std::vector<LinkCall> calls;
    for (int i = 0; i < 2; ++i) {
        fixture.client->posts.push_back({.hangs = true});
        Request request = tool_call();
        request.agent = agent("a", true);
        calls.push_back(fixture.start(std::move(request), call_listener));
    }

    fixture.loop.run_for(1s);

    EXPECT_EQ(call_listener->questions.size(), 1U);
    for (auto& call : calls) {
        call.cancel();
    }
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, AsksTheLinkWhenSeveralAgentsMayBeMeant) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kAsk)}}));
    const auto call_listener = std::make_shared<CallRecorder>();
    std::vector<LinkCall> calls;
    for (int i = 0; i < 2; ++i) {
        fixture.client->posts.push_back({.hangs = true});
        Request request = tool_call();
        request.agent = agent("same", false);
        calls.push_back(fixture.start(std::move(request), call_listener));
    }

    fixture.loop.run_for(1s);

    EXPECT_TRUE(call_listener->questions.empty());
    EXPECT_EQ(fixture.owner->questions.size(), 1U);
    for (auto& call : calls) {
        call.cancel();
    }
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, DeliversALogLineToTheOnlyCallInFlight) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kLog)}}));
    fixture.client->posts.push_back({.hangs = true});
    const auto call_listener = std::make_shared<CallRecorder>();
    auto call = fixture.start(tool_call(), call_listener);

    fixture.loop.run_for(1s);

    ASSERT_EQ(call_listener->notifications.size(), 1U);
    EXPECT_EQ(call_listener->notifications[0].method, "notifications/message");
    EXPECT_TRUE(fixture.owner->notifications.empty());
    call.cancel();
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, DeliversNoLogLineShortlyAfterACallOfAnotherAgent) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(
        open_stream({{.after = 1s, .bytes = event(kLog)}, {.after = 5s, .bytes = event(kLog)}}));
    fixture.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
    fixture.client->posts.push_back({.hangs = true});
    Request first = tool_call();
    first.agent = agent("a", true);
    const auto first_listener = std::make_shared<CallRecorder>();
    auto ended = fixture.start(std::move(first), first_listener);
    Request second = tool_call();
    second.agent = agent("b", true);
    const auto call_listener = std::make_shared<CallRecorder>();
    auto call = fixture.start(std::move(second), call_listener);

    fixture.loop.run_for(2s);
    EXPECT_TRUE(call_listener->notifications.empty());
    EXPECT_EQ(fixture.owner->notifications.size(), 1U);
    fixture.loop.run_for(5s);

    EXPECT_EQ(call_listener->notifications.size(), 1U);
    EXPECT_TRUE(first_listener->notifications.empty());
    call.cancel();
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, AsksNoCallThatWaitsForItsAgent) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream(
        {{.after = 1s, .bytes = event(kAsk)},
         {.after = 1s, .bytes = event(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})")}}));
    fixture.client->posts.push_back({.hangs = true});
    fixture.client->posts.push_back({.hangs = true});
    Request first = tool_call();
    first.agent = agent("a", true);
    const auto waiting = std::make_shared<CallRecorder>();
    auto abandoned = fixture.start(std::move(first), waiting);
    fixture.loop.run_for(1s);
    ASSERT_EQ(waiting->questions.size(), 1U);
    Request second = tool_call();
    second.agent = agent("b", true);
    const auto asked = std::make_shared<CallRecorder>();
    auto call = fixture.start(std::move(second), asked);

    fixture.loop.run_for(1s);

    EXPECT_EQ(waiting->questions.size(), 1U);
    EXPECT_EQ(asked->questions.size(), 1U);
    abandoned.cancel();
    call.cancel();
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, FindsTheCallOfProgressByItsToken) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream(
        {{.after = 1s,
          .bytes = event(
              R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2}})")}}));
    const auto first = std::make_shared<CallRecorder>();
    const auto second = std::make_shared<CallRecorder>();
    fixture.client->posts.push_back({.hangs = true});
    fixture.client->posts.push_back({.hangs = true});
    auto one = fixture.start(tool_call(), first);
    auto other = fixture.start(tool_call(), second);

    fixture.loop.run_for(1s);

    EXPECT_TRUE(first->notifications.empty());
    EXPECT_EQ(second->notifications.size(), 1U);
    one.cancel();
    other.cancel();
    fixture.loop.settle();
}

TEST_P(HttpSessionTest, IsLostWhenTheServerDoesNotKnowIt) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply(
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}})",
        404));

    const auto result = fixture.run(tool_call());
    const auto later = fixture.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(result.error().delivery, Delivery::not_sent);
    ASSERT_EQ(fixture.owner->losses.size(), 1U);
    EXPECT_EQ(later.error().kind, Kind::not_connected);
    EXPECT_EQ(fixture.client->seen_by("POST").size(), 1U);
}

TEST_P(HttpSessionTest, IsLostWhenAServerAnswers400InsteadOf404) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","error":{"code":-32000,)"
                   R"("message":"Bad Request: No valid session ID provided"},"id":null})",
                   400));

    EXPECT_EQ(fixture.run(tool_call()).error().delivery, Delivery::not_sent);
    EXPECT_EQ(fixture.owner->losses.size(), 1U);
}

TEST_P(HttpSessionTest, IsLostWhenItsStreamIsUnknown) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->gets.push_back(status_reply(404));

    fixture.open();

    EXPECT_EQ(fixture.owner->losses.size(), 1U);
}

TEST_P(HttpSessionTest, IsEndedAtTheServerOnClose) {
    HttpLinkFixture fixture{kLegacy, "s-1", "X-Key: k\r\n"};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({}));
    Running<bool> closing{fixture.loop, closed(fixture.open())};

    fixture.loop.settle();

    EXPECT_TRUE(closing.has_ended());
    const auto deletes = fixture.client->seen_by("DELETE");
    ASSERT_EQ(deletes.size(), 1U);
    EXPECT_TRUE(deletes[0].has_line("Mcp-Session-Id: s-1"));
    EXPECT_TRUE(deletes[0].has_line("X-Key: k"));
    EXPECT_EQ(fixture.client->open_count, 0);
    EXPECT_TRUE(fixture.owner->losses.empty());
}

TEST_P(HttpSessionTest, EndsItsStreamWhenItIsDropped) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->gets.push_back(open_stream({}));
    fixture.open();
    EXPECT_EQ(fixture.client->open_count, 1);

    fixture.link.reset();
    fixture.loop.settle();

    EXPECT_EQ(fixture.client->open_count, 0);
}

TEST_P(HttpSessionTest, SubscribesToTheWantedResources) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    for (int id = 1; id <= 3; ++id) {
        fixture.client->posts.push_back(
            json_reply(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})"));
    }

    fixture.open()->set_interests({.resource_uris = {"a:1", "b:2"}});
    fixture.loop.settle();
    fixture.open()->set_interests({.resource_uris = {"b:2"}});
    fixture.loop.settle();

    const auto posts = fixture.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 3U);
    EXPECT_TRUE(posts[0].says(R"("method":"resources/subscribe","params":{"uri":"a:1"})"));
    EXPECT_TRUE(posts[1].says(R"("method":"resources/subscribe","params":{"uri":"b:2"})"));
    EXPECT_TRUE(posts[2].says(R"("method":"resources/unsubscribe","params":{"uri":"a:1"})"));
}

TEST_P(HttpSessionTest, LimitsMessagesOutsideOfCalls) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.parts.http.max_tasks = 2;
    fixture.client->message_reply = FakeReply{.hangs = true};
    fixture.open();

    for (int i = 0; i < 5; ++i) {
        fixture.link->notify("notifications/roots/list_changed", {});
    }
    fixture.loop.settle();
    EXPECT_EQ(fixture.client->messages().size(), 2U);

    fixture.loop.run_for(10s);
    fixture.link->notify("notifications/roots/list_changed", {});
    fixture.loop.settle();
    EXPECT_EQ(fixture.client->messages().size(), 3U);
}

}  // namespace
}  // namespace holdfast::downstream::testing
