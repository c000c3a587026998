#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

/// Subscriptions and listens of a link.
class StreamLinkInterestTest : public StreamLinkFixture {
protected:
    void acknowledge(int id) {
        say(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)" +
            meta(id) + "}");
    }
    void say_changed(int id) {
        say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":)" + meta(id) +
            "}");
    }
    static std::string meta(int id) {
        return R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" + std::to_string(id) + "}}";
    }
    static std::string cancelled(int id) {
        return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
               std::to_string(id) + "}}";
    }
    static bool is_listen(const std::string& text, int id) {
        return text.starts_with(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                                R"(,"method":"subscriptions/listen","params":{"notifications":)");
    }
};

INSTANTIATE_TEST_SUITE_P(CallStyles, StreamLinkInterestTest,
                         ::testing::Values(testing::CallStyle::coroutine,
                                           testing::CallStyle::observer),
                         testing::name_of_style);

TEST_P(StreamLinkInterestTest, SubscribesToTheDifferenceAtALegacyDownstream) {
    open_legacy();

    link->set_interests({.resource_uris = {"a", "b"}});
    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe",)"
                      R"("params":{"uri":"a"}})");
    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":2,"method":"resources/subscribe",)"
                      R"("params":{"uri":"b"}})");
    link->set_interests({.resource_uris = {"b", "c"}});

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe",)"
                      R"("params":{"uri":"a"}})");
    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":4,"method":"resources/subscribe",)"
                      R"("params":{"uri":"c"}})");
    EXPECT_EQ(sent(), "");
    say(R"({"jsonrpc":"2.0","id":4,"result":{}})");
}

TEST_P(StreamLinkInterestTest, ListensAtAModernDownstream) {
    open_modern();

    link->set_interests({.resource_uris = {"a\"b"}});

    const std::string text = sent();
    EXPECT_TRUE(is_listen(text, 1)) << text;
    EXPECT_NE(text.find(R"({"toolsListChanged":true,"promptsListChanged":true,)"
                        R"("resourcesListChanged":true,"resourceSubscriptions":["a\"b"]})"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"),
              std::string::npos);
}

TEST_P(StreamLinkInterestTest, ForwardsChangesWithoutTheSubscriptionId) {
    open_modern();
    link->set_interests({});
    acknowledge(1);

    say_changed(1);
    say(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"u",)"
        R"("_meta":{"io.modelcontextprotocol/subscriptionId":1,"x":2}}})");
    say_changed(9);

    ASSERT_EQ(listener->notifications.size(), 2U);
    EXPECT_EQ(listener->notifications[0].method, "notifications/tools/list_changed");
    EXPECT_EQ(listener->notifications[0].params, "{}");
    EXPECT_EQ(listener->notifications[1].params, R"({"uri":"u","_meta":{"x":2}})");
}

TEST_P(StreamLinkInterestTest, CancelsTheOldListenOnlyWhenTheNewOneIsAcknowledged) {
    open_modern();
    link->set_interests({});
    acknowledge(1);
    EXPECT_TRUE(is_listen(sent(), 1));

    link->set_interests({.resource_uris = {"a"}});
    EXPECT_TRUE(is_listen(sent(), 2));
    EXPECT_EQ(sent(), "");
    say_changed(1);
    EXPECT_EQ(listener->notifications.size(), 1U);
    acknowledge(2);

    EXPECT_EQ(sent(), cancelled(1));
    EXPECT_EQ(sent(), "");
    say_changed(1);
    EXPECT_EQ(listener->notifications.size(), 1U);
    say_changed(2);
    EXPECT_EQ(listener->notifications.size(), 2U);
}

TEST_P(StreamLinkInterestTest, OpensOneListenAtATime) {
    open_modern();
    link->set_interests({});
    EXPECT_TRUE(is_listen(sent(), 1));

    link->set_interests({.resource_uris = {"a"}});
    link->set_interests({.resource_uris = {"b"}});
    EXPECT_EQ(sent(), "");
    acknowledge(1);

    const std::string second = sent();
    EXPECT_TRUE(is_listen(second, 2));
    EXPECT_NE(second.find(R"("resourceSubscriptions":["b"])"), std::string::npos);
    acknowledge(2);
    EXPECT_EQ(sent(), cancelled(1));
}

TEST_P(StreamLinkInterestTest, ListensAgainWithAGrowingDelay) {
    open_modern();
    link->set_interests({});
    acknowledge(1);
    EXPECT_TRUE(is_listen(sent(), 1));

    say(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}})");
    loop.run_for(999ms);
    EXPECT_EQ(sent(), "");
    loop.run_for(1ms);
    EXPECT_TRUE(is_listen(sent(), 2));
    say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
    loop.run_for(1999ms);
    EXPECT_EQ(sent(), "");
    loop.run_for(1ms);

    EXPECT_TRUE(is_listen(sent(), 3));
}

TEST_P(StreamLinkInterestTest, ReportsThatChangesMayHaveBeenMissed) {
    open_modern();
    link->set_interests({});
    acknowledge(1);
    EXPECT_TRUE(listener->notifications.empty());

    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    loop.run_for(1s);
    acknowledge(2);

    EXPECT_EQ(listener->notifications.size(), 3U);
}

TEST_P(StreamLinkInterestTest, StopsListeningAtADownstreamThatCannotListen) {
    open_modern();
    link->set_interests({});
    EXPECT_TRUE(is_listen(sent(), 1));

    say(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}})");
    loop.run_for(1h);

    EXPECT_EQ(sent(), "");
}

TEST_P(StreamLinkInterestTest, OpensAnotherListenWhenOneIsNotAcknowledged) {
    open_modern();
    link->set_interests({});
    EXPECT_TRUE(is_listen(sent(), 1));

    loop.run_for(30s);
    EXPECT_EQ(sent(), cancelled(1));
    loop.run_for(1s);

    EXPECT_TRUE(is_listen(sent(), 2));
}

TEST_P(StreamLinkInterestTest, StopsListeningWhenNothingIsWanted) {
    open_modern();
    link->set_interests({});
    acknowledge(1);
    EXPECT_TRUE(is_listen(sent(), 1));

    link->set_interests({.lists = false});

    EXPECT_EQ(sent(), cancelled(1));
    loop.run_for(1h);
    EXPECT_EQ(sent(), "");
}

}  // namespace
}  // namespace holdfast::downstream
