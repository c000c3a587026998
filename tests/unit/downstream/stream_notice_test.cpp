#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

/// Notifications of the downstream.
class StreamLinkNoticeTest : public StreamLinkFixture {
protected:
    Call progressing_call(const std::shared_ptr<CallListener>& hearer) {
        Request request = tool_call();
        request.wants_progress = true;
        return quiet_call(request, hearer);
    }
    void say_progress(std::string_view token, std::string_view progress) {
        say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
            std::string{token} + R"(,"progress":)" + std::string{progress} + "}}");
    }
    void say_log() {
        say(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})");
    }

    std::shared_ptr<RecordingCallListener> one = std::make_shared<RecordingCallListener>();
    std::shared_ptr<RecordingCallListener> two = std::make_shared<RecordingCallListener>();
};

INSTANTIATE_TEST_SUITE_P(CallStyles, StreamLinkNoticeTest,
                         ::testing::Values(testing::CallStyle::coroutine,
                                           testing::CallStyle::observer),
                         testing::name_of_style);

TEST_P(StreamLinkNoticeTest, DeliversProgressToTheCallWithItsToken) {
    open_legacy();
    const Call first = progressing_call(one);
    const Call second = progressing_call(two);

    say_progress("2", "0.5");

    EXPECT_TRUE(one->notifications.empty());
    ASSERT_EQ(two->notifications.size(), 1U);
    EXPECT_EQ(two->notifications[0].method, "notifications/progress");
    EXPECT_EQ(two->notifications[0].params, R"({"progressToken":2,"progress":0.5})");
}

TEST_P(StreamLinkNoticeTest, DropsProgressThatDoesNotIncrease) {
    open_legacy();
    const Call started = progressing_call(one);

    for (const std::string_view progress : {"0", "1", "1", "0.5", "\"2\"", "1.5"}) {
        say_progress("1", progress);
    }

    ASSERT_EQ(one->notifications.size(), 3U);
    EXPECT_EQ(one->notifications[2].params, R"({"progressToken":1,"progress":1.5})");
}

TEST_P(StreamLinkNoticeTest, DropsProgressAfterTheAnswerAndForUnknownTokens) {
    open_legacy();
    const Call finished = progressing_call(one);
    const Call silent = quiet_call(tool_call(), two);

    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    say_progress("1", "1");
    say_progress("2", "1");
    say_progress("9", "1");

    EXPECT_TRUE(one->notifications.empty());
    EXPECT_TRUE(two->notifications.empty());
    EXPECT_TRUE(listener->notifications.empty());
}

TEST_P(StreamLinkNoticeTest, DeliversLogLinesToTheOnlyCall) {
    open_legacy();
    const Call gateways_own = quiet_call({.method = "tools/list"});
    const Call started = quiet_call(call_of("a"), one);

    say_log();

    EXPECT_EQ(one->notifications.size(), 1U);
    EXPECT_TRUE(listener->notifications.empty());
}

TEST_P(StreamLinkNoticeTest, DeliversLogLinesOfOneSessionToItsLatestCall) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("a"), two);

    say_log();

    EXPECT_TRUE(one->notifications.empty());
    EXPECT_EQ(two->notifications.size(), 1U);
}

TEST_P(StreamLinkNoticeTest, PassesLogLinesThatMayBelongToSeveralAgentsToTheLinksListener) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("b"), two);

    say_log();
    say(R"({"jsonrpc":"2.0","method":"notifications/other"})");

    EXPECT_TRUE(one->notifications.empty());
    EXPECT_TRUE(two->notifications.empty());
    ASSERT_EQ(listener->notifications.size(), 2U);
    EXPECT_EQ(listener->notifications[0].method, "notifications/message");
    EXPECT_EQ(listener->notifications[1].method, "notifications/other");
}

TEST_P(StreamLinkNoticeTest, TreatsEqualKeysWithoutASessionAsSeveralAgents) {
    open_legacy();
    const Call first = quiet_call(call_of("a", false), one);
    const Call second = quiet_call(call_of("a", false), two);

    say_log();

    EXPECT_TRUE(one->notifications.empty());
    EXPECT_TRUE(two->notifications.empty());
}

TEST_P(StreamLinkNoticeTest, DeliversNoLogLineShortlyAfterACallOfAnotherAgent) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("b"), two);
    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");

    say_log();
    EXPECT_TRUE(two->notifications.empty());
    loop.run_for(5s);
    say_log();

    EXPECT_EQ(two->notifications.size(), 1U);
}

TEST_P(StreamLinkNoticeTest, DeliversLogLinesOfACallThatWaitsForItsAgent) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);
    say(R"({"jsonrpc":"2.0","id":5,"method":"roots/list"})");

    say_log();

    EXPECT_EQ(one->notifications.size(), 1U);
}

TEST_P(StreamLinkNoticeTest, PassesNotificationsWithoutACallToTheLinksListener) {
    open_legacy();

    say_log();
    const Call started = quiet_call(call_of("a"), one);
    say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    say(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a"}})");

    EXPECT_TRUE(one->notifications.empty());
    ASSERT_EQ(listener->notifications.size(), 3U);
    EXPECT_EQ(listener->notifications[0].method, "notifications/message");
    EXPECT_EQ(listener->notifications[1].params, "");
    EXPECT_EQ(listener->notifications[2].params, R"({"uri":"a"})");
}

}  // namespace
}  // namespace holdfast::downstream
