#include "dispatch/gateway.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/gateway/gateway_world.hpp"

// Messages outside of calls: changed lists, updates, logs and questions of servers, sessions.

namespace holdfast::dispatch {
namespace {

using downstream::QuestionAnswer;
using mcp::Era;
using test::RecordingOutlet;
using namespace std::chrono_literals;

class GatewayTest : public test::GatewayWorld {
protected:
    void SetUp() override {
        server = add_server("box", Era::legacy);
        begin();
    }
    std::shared_ptr<RecordingOutlet> outlet_of(agents::AgentSession& session) {
        auto outlet = std::make_shared<RecordingOutlet>();
        session.set_outlet(outlet);
        return outlet;
    }
    /// Sends a notification of the server on a link; an empty key = the shared one.
    void say(const std::string& method, const std::string& params, const std::string& key = {}) {
        on_loop(
            [&] { gateway().on_notification("box", key, {.method = method, .params = params}); });
    }
    void ask(const std::string& key, const std::string& method = "roots/list") {
        on_loop([&] {
            gateway().on_question("box", key,
                                  {.method = method, .answer = [this](QuestionAnswer answer) {
                                       replies.push_back(std::move(answer));
                                   }});
        });
    }
    test::Port listen(const std::string& filter, const Modern& as = {},
                      const std::string& id = "5") {
        return request(as, "subscriptions/listen", R"("notifications":)" + filter, id);
    }

    std::shared_ptr<test::FakeServer> server;
    std::vector<QuestionAnswer> replies;
};

TEST_F(GatewayTest, NotifiesAllAgentsOfChangedLists) {
    const auto session = connect();
    const auto outlet = outlet_of(*session);
    const auto tools = listen(R"({"toolsListChanged":true})");
    const auto prompts = listen(R"({"promptsListChanged":true})", {}, "6");

    say("notifications/tools/list_changed", "");
    loop.run_for(100ms);

    EXPECT_EQ(outlet->sent,
              (std::vector<std::string>{
                  R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"}));
    EXPECT_EQ(tools->sent.size(), 2U);
    EXPECT_EQ(prompts->sent.size(), 1U);
}

TEST_F(GatewayTest, ReportsChangedTemplatesAsResources) {
    const auto port = listen(R"({"resourcesListChanged":true})");

    on_loop([&] {
        gateway().on_listed("box", {.kind = downstream::ListKind::templates,
                                    .entries = {{.key = "n:{x}", .definition = "{}"}}});
    });
    loop.run_for(100ms);

    EXPECT_EQ(port->sent.size(), 2U);
}

TEST_F(GatewayTest, SendsUpdatesOnlyToSubscribers) {
    const auto one = connect();
    const auto two = connect();
    const auto first = outlet_of(*one);
    const auto second = outlet_of(*two);
    request(one, "resources/subscribe", R"({"uri":"a:1"})");
    const auto received = listen(R"({"resourceSubscriptions":["a:1"]})");
    const auto other = listen(R"({"resourceSubscriptions":["b:1"]})", {}, "6");

    say("notifications/resources/updated", R"({"uri": "a:1"})");

    ASSERT_EQ(first->sent.size(), 1U);
    EXPECT_EQ(first->sent[0], R"({"jsonrpc":"2.0","method":"notifications/resources/updated",)"
                              R"("params":{"uri": "a:1"}})");
    EXPECT_TRUE(second->sent.empty());
    EXPECT_EQ(received->sent.size(), 2U);
    EXPECT_EQ(other->sent.size(), 1U);
}

TEST_F(GatewayTest, SendsMessagesOfAnAgentsLinkOnlyToThatAgent) {
    const auto one = connect();
    const auto two = connect();
    const auto first = outlet_of(*one);
    const auto second = outlet_of(*two);
    request(one, "resources/subscribe", R"({"uri":"a:1"})");
    request(two, "resources/subscribe", R"({"uri":"a:1"})");
    const auto listening = listen(R"({"resourceSubscriptions":["a:1"]})");

    say("notifications/resources/updated", R"({"uri":"a:1"})", one->key());
    say("notifications/message", R"({"level":"error","data":"secret"})", one->key());

    EXPECT_EQ(first->sent.size(), 2U);
    EXPECT_TRUE(second->sent.empty());
    EXPECT_EQ(listening->sent.size(), 1U);
}

TEST_F(GatewayTest, DropsTheLogOfASharedLinkEvenIfThereIsOneSession) {
    const auto one = connect();
    const auto first = outlet_of(*one);

    say("notifications/message", R"({"level":"error","data":1})");

    EXPECT_TRUE(first->sent.empty());
    EXPECT_EQ(gateway().unassigned_messages().logs, 1U);
}

TEST_F(GatewayTest, RefusesAQuestionOfASharedLinkEvenIfThereIsOneSession) {
    const auto session = connect(R"({"roots":{}})");
    const auto outlet = outlet_of(*session);

    ask("");

    EXPECT_TRUE(outlet->sent.empty());
    ASSERT_EQ(replies.size(), 1U);
    EXPECT_TRUE(replies[0].is_error);
    EXPECT_NE(replies[0].body.find("per-agent"), std::string::npos) << replies[0].body;
    EXPECT_EQ(gateway().unassigned_messages().questions, 1U);
}

TEST_F(GatewayTest, PassesAQuestionOutsideOfCallsToItsAgent) {
    const auto session = connect(R"({"roots":{}})");
    const auto outlet = outlet_of(*session);

    ask(session->key());
    ASSERT_EQ(outlet->sent.size(), 1U);
    reply(*session, R"("holdfast-1")", R"("result":{"roots":[]})");

    ASSERT_EQ(replies.size(), 1U);
    EXPECT_EQ(replies[0].body, R"({"roots":[]})");
}

TEST_F(GatewayTest, RefusesAQuestionThatHasNoAgent) {
    ask("");
    ask("gone");
    const auto deaf = connect(R"({"roots":{}})");
    ask(deaf->key());
    const auto unable = connect();
    const auto outlet = outlet_of(*unable);
    ask(unable->key());
    ask("");

    ASSERT_EQ(replies.size(), 5U);
    for (const QuestionAnswer& reply : replies) {
        EXPECT_TRUE(reply.is_error);
    }
    EXPECT_TRUE(outlet->sent.empty());
}

TEST_F(GatewayTest, SubscribesOnceForAllListensOfAnAgent) {
    const auto one = listen(R"({"resourceSubscriptions":["a:1","b:1"]})");
    const auto two = listen(R"({"resourceSubscriptions":["b:1"]})", {}, "6");
    EXPECT_EQ(server->interests.back().resource_uris, (std::vector<std::string>{"a:1", "b:1"}));

    on_loop([&] { one->gone(); });
    EXPECT_EQ(server->interests.back().resource_uris, (std::vector<std::string>{"b:1"}));
    on_loop([&] { two->gone(); });

    EXPECT_TRUE(server->interests.back().resource_uris.empty());
    EXPECT_EQ(one->abandoned, 1U);
}

TEST_F(GatewayTest, EndsAListenOnAChannelByItsId) {
    const auto session = connect();
    const auto port = listen(R"({"toolsListChanged":true})", {.session = session}, "\"s\"");
    EXPECT_FALSE(session->is_idle());

    notify(*session, "notifications/cancelled", R"({"requestId":"s"})");
    say("notifications/tools/list_changed", "");
    loop.run_for(100ms);

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_EQ(port->sent.size(), 1U);
    EXPECT_TRUE(session->is_idle());
}

TEST_F(GatewayTest, RefusesAListenWithoutAFilter) {
    const auto port = request(Modern{}, "subscriptions/listen", "");

    EXPECT_NE(port->answer().find("-32602"), std::string::npos);
}

TEST_F(GatewayTest, PassesOnChangedRoots) {
    const auto session = connect();

    notify(*session, "notifications/roots/list_changed", "{}");

    EXPECT_EQ(server->notified, (std::vector<std::string>{"notifications/roots/list_changed"}));
}

TEST_F(GatewayTest, RemovesIdleSessions) {
    const auto idle = connect();
    const auto streaming = connect();
    const auto outlet = outlet_of(*streaming);

    loop.run_for(1h + 1min);

    EXPECT_EQ(gateway().sessions().find(idle->key()), nullptr);
    EXPECT_EQ(gateway().sessions().all(), (std::vector{streaming}));
}

TEST_F(GatewayTest, EndsEverythingGracefully) {
    const auto session = connect();
    const auto outlet = outlet_of(*session);
    const auto listening = listen(R"({"toolsListChanged":true})");
    const auto parked_first = request(Modern{}, "tools/call", R"("name":"t")");
    on_loop([&] { server->last().ask("roots/list", ""); });
    loop.run_for(5ms);
    ASSERT_EQ(parked(), 1U);

    bool has_stopped = false;
    boost::asio::co_spawn(loop.context, gateway().stop(),
                          [&](const std::exception_ptr&) { has_stopped = true; });
    loop.run_for(1s);

    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(outlet->ends, 1);
    EXPECT_NE(listening->answer().find(R"("resultType":"complete")"), std::string::npos);
    EXPECT_EQ(parked(), 0U);
    EXPECT_EQ(gateway().sessions().size(), 0U);
    EXPECT_TRUE(server->last().has_ended);
}

class FewListensTest : public GatewayTest {
protected:
    void SetUp() override {
        options.max_listens = 1;
        GatewayTest::SetUp();
    }
};

TEST_F(FewListensTest, RefusesTooManyAndLeavesNoTrace) {
    const auto session = connect();
    const auto first = listen("{}");

    const auto second = listen("{}", {.session = session});

    EXPECT_NE(second->answer().find("-32600"), std::string::npos);
    EXPECT_TRUE(second->sent.empty());
    EXPECT_TRUE(session->is_idle());
    on_loop([&] { first->gone(); });
    EXPECT_EQ(listen("{}", {.session = session})->ends(), 0U);
}

TEST(GatewayStopTest, StopsWithoutServers) {
    resilience::testing::VirtualLoop loop;
    const net::OwningLoop home{.executor = loop.context.get_executor(),
                               .timekeeper = &loop.timekeeper};
    const auto gateway =
        std::make_shared<Gateway>(home, GatewayOptions{}, [] { return "x"; }, nullptr);
    gateway->adopt({});
    bool has_stopped = false;

    boost::asio::co_spawn(loop.context, gateway->stop(),
                          [&](const std::exception_ptr&) { has_stopped = true; });
    loop.settle();

    EXPECT_TRUE(has_stopped);
}

using CallIdTest = test::GatewayWorld;

TEST_F(CallIdTest, NeverBeginsWithADash) {
    secret_prefix = "--secret";
    add_server("box", Era::legacy);
    begin();

    const auto refused =
        request(connect(), "tools/call", R"({"name":"tt","arguments":{}})")->answer();

    EXPECT_NE(refused.find(R"("callId":"secret0-1")"), std::string::npos) << refused;
}

}  // namespace
}  // namespace holdfast::dispatch
