#include <gtest/gtest.h>

#include "unit/downstream/http_bench.hpp"

// What belongs to a legacy session rather than to one call.

namespace holdfast::downstream::testing {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

constexpr auto kLegacy = mcp::Revision::v2025_11_25;
const std::string kChanged = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
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

TEST(HttpSessionTest, HearsWhatBelongsToNoCall) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->gets.push_back(open_stream({{.bytes = event(kChanged)}}));

    bench.open();

    ASSERT_EQ(bench.owner->notifications.size(), 1U);
    EXPECT_EQ(bench.owner->notifications[0].method, "notifications/tools/list_changed");
    const auto gets = bench.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 1U);
    EXPECT_TRUE(gets[0].has_line("Accept: text/event-stream"));
    EXPECT_TRUE(gets[0].has_line("Mcp-Session-Id: s-1"));
    EXPECT_EQ(gets[0].headers.find("Last-Event-ID"), std::string::npos);
}

TEST(HttpSessionTest, DoesNotAskAgainForAStreamThatIsNotOffered) {
    HttpBench bench{kLegacy};

    bench.open();
    bench.loop.run_for(1h);

    EXPECT_EQ(bench.client->seen_by("GET").size(), 1U);
    EXPECT_TRUE(bench.owner->losses.empty());
}

TEST(HttpSessionTest, OpensTheStreamAgainWithAGrowingDelay) {
    HttpBench bench{kLegacy};
    for (int i = 0; i < 4; ++i) {
        bench.client->gets.push_back(status_reply(503));
    }

    bench.open();
    bench.loop.run_for(1h);

    const auto gets = bench.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 5U);
    EXPECT_EQ(gets[1].at - gets[0].at, 1s);
    EXPECT_EQ(gets[2].at - gets[1].at, 2s);
    EXPECT_EQ(gets[3].at - gets[2].at, 4s);
}

TEST(HttpSessionTest, GoesOnWhereTheStreamBrokeOff) {
    HttpBench bench{kLegacy};
    bench.client->gets.push_back(
        event_reply({{.bytes = "retry: 250\nid: x-7\n" + event(kChanged)}}));

    bench.open();
    bench.loop.run_for(1min);

    const auto gets = bench.client->seen_by("GET");
    ASSERT_EQ(gets.size(), 2U);
    EXPECT_EQ(gets[1].at - gets[0].at, 250ms);
    EXPECT_TRUE(gets[1].has_line("Last-Event-ID: x-7"));
}

TEST(HttpSessionTest, AsksTheLinkWhenNoCallIsInFlight) {
    HttpBench bench{kLegacy};
    bench.client->gets.push_back(open_stream({{.bytes = event(kAsk)}}));

    bench.open();
    ASSERT_EQ(bench.owner->questions.size(), 1U);
    bench.owner->questions[0].answer({.body = R"({"roots":[]})"});
    bench.loop.settle();

    EXPECT_EQ(bench.client->messages(),
              std::vector<std::string>{R"({"jsonrpc":"2.0","id":"q","result":{"roots":[]}})"});
}

TEST(HttpSessionTest, AsksTheOnlyCallInFlight) {
    HttpBench bench{kLegacy};
    bench.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kAsk)}}));
    bench.client->posts.push_back({.hangs = true});
    const auto heard = std::make_shared<HeardCall>();
    auto call = bench.start(tool_call(), heard);

    bench.loop.run_for(1s);

    EXPECT_EQ(heard->questions.size(), 1U);
    EXPECT_TRUE(bench.owner->questions.empty());
    call.cancel();
    bench.loop.settle();
}

TEST(HttpSessionTest, AsksOneOfSeveralCallsOfOneSession) {
    HttpBench bench{kLegacy};
    bench.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kAsk)}}));
    const auto heard = std::make_shared<HeardCall>();
    std::vector<Running<CallResult>> calls;
    for (int i = 0; i < 2; ++i) {
        bench.client->posts.push_back({.hangs = true});
        Request request = tool_call();
        request.agent = agent("a", true);
        calls.push_back(bench.start(std::move(request), heard));
    }

    bench.loop.run_for(1s);

    EXPECT_EQ(heard->questions.size(), 1U);
    for (auto& call : calls) {
        call.cancel();
    }
    bench.loop.settle();
}

TEST(HttpSessionTest, RefusesAQuestionThatMayBeOfSeveralAgents) {
    HttpBench bench{kLegacy};
    bench.client->gets.push_back(open_stream({{.after = 1s, .bytes = event(kAsk)}}));
    const auto heard = std::make_shared<HeardCall>();
    std::vector<Running<CallResult>> calls;
    for (int i = 0; i < 2; ++i) {
        bench.client->posts.push_back({.hangs = true});
        Request request = tool_call();
        request.agent = agent("same", false);
        calls.push_back(bench.start(std::move(request), heard));
    }

    bench.loop.run_for(1s);

    EXPECT_TRUE(heard->questions.empty());
    ASSERT_EQ(bench.client->messages().size(), 1U);
    EXPECT_NE(bench.client->messages()[0].find(R"("id":"q","error")"), std::string::npos);
    for (auto& call : calls) {
        call.cancel();
    }
    bench.loop.settle();
}

TEST(HttpSessionTest, FindsTheCallOfProgressByItsToken) {
    HttpBench bench{kLegacy};
    bench.client->gets.push_back(open_stream(
        {{.after = 1s,
          .bytes = event(
              R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2}})")}}));
    const auto first = std::make_shared<HeardCall>();
    const auto second = std::make_shared<HeardCall>();
    bench.client->posts.push_back({.hangs = true});
    bench.client->posts.push_back({.hangs = true});
    auto one = bench.start(tool_call(), first);
    auto other = bench.start(tool_call(), second);

    bench.loop.run_for(1s);

    EXPECT_TRUE(first->notifications.empty());
    EXPECT_EQ(second->notifications.size(), 1U);
    one.cancel();
    other.cancel();
    bench.loop.settle();
}

TEST(HttpSessionTest, IsLostWhenTheServerDoesNotKnowIt) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->posts.push_back(json_reply(
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}})",
        404));

    const auto result = bench.run(tool_call());
    const auto later = bench.run(tool_call());

    EXPECT_EQ(result.error().kind, Kind::connection_lost);
    EXPECT_EQ(result.error().delivery, Delivery::not_sent);
    ASSERT_EQ(bench.owner->losses.size(), 1U);
    EXPECT_EQ(later.error().kind, Kind::not_connected);
    EXPECT_EQ(bench.client->seen_by("POST").size(), 1U);
}

TEST(HttpSessionTest, IsLostWhenAServerOfTheOldExampleSaysSo) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","error":{"code":-32000,)"
                   R"("message":"Bad Request: No valid session ID provided"},"id":null})",
                   400));

    EXPECT_EQ(bench.run(tool_call()).error().delivery, Delivery::not_sent);
    EXPECT_EQ(bench.owner->losses.size(), 1U);
}

TEST(HttpSessionTest, IsLostWhenItsStreamIsUnknown) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->gets.push_back(status_reply(404));

    bench.open();

    EXPECT_EQ(bench.owner->losses.size(), 1U);
}

TEST(HttpSessionTest, IsGivenBackOnClose) {
    HttpBench bench{kLegacy, "s-1", "X-Key: k\r\n"};
    bench.client->gets.push_back(open_stream({}));
    Running<bool> closing{bench.loop, closed(bench.open())};

    bench.loop.settle();

    EXPECT_TRUE(closing.has_ended());
    const auto deletes = bench.client->seen_by("DELETE");
    ASSERT_EQ(deletes.size(), 1U);
    EXPECT_TRUE(deletes[0].has_line("Mcp-Session-Id: s-1"));
    EXPECT_TRUE(deletes[0].has_line("X-Key: k"));
    EXPECT_EQ(bench.client->open_count, 0);
    EXPECT_TRUE(bench.owner->losses.empty());
}

TEST(HttpSessionTest, EndsItsStreamWhenItIsDropped) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->gets.push_back(open_stream({}));
    bench.open();
    EXPECT_EQ(bench.client->open_count, 1);

    bench.link.reset();
    bench.loop.settle();

    EXPECT_EQ(bench.client->open_count, 0);
}

TEST(HttpSessionTest, SubscribesToWhatIsWanted) {
    HttpBench bench{kLegacy};
    for (int id = 1; id <= 3; ++id) {
        bench.client->posts.push_back(
            json_reply(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})"));
    }

    bench.open()->set_interests({.resource_uris = {"a:1", "b:2"}});
    bench.loop.settle();
    bench.open()->set_interests({.resource_uris = {"b:2"}});
    bench.loop.settle();

    const auto posts = bench.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 3U);
    EXPECT_TRUE(posts[0].says(R"("method":"resources/subscribe","params":{"uri":"a:1"})"));
    EXPECT_TRUE(posts[1].says(R"("method":"resources/subscribe","params":{"uri":"b:2"})"));
    EXPECT_TRUE(posts[2].says(R"("method":"resources/unsubscribe","params":{"uri":"a:1"})"));
}

TEST(HttpSessionTest, LimitsWhatIsSentBesideCalls) {
    HttpBench bench{kLegacy};
    bench.parts.http.max_tasks = 2;
    bench.client->message_reply = FakeReply{.hangs = true};
    bench.open();

    for (int i = 0; i < 5; ++i) {
        bench.link->notify("notifications/roots/list_changed", {});
    }
    bench.loop.settle();
    EXPECT_EQ(bench.client->messages().size(), 2U);

    bench.loop.run_for(10s);
    bench.link->notify("notifications/roots/list_changed", {});
    bench.loop.settle();
    EXPECT_EQ(bench.client->messages().size(), 3U);
}

}  // namespace
}  // namespace holdfast::downstream::testing
