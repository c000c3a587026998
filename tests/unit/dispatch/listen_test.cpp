#include "dispatch/listen.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/gateway/recording_port.hpp"

namespace holdfast::dispatch {
namespace {

using test::RecordingPort;

TEST(ListenFilterTest, ReadsOnlyKnownMembers) {
    const ListenFilter filter = listen_filter_of(
        R"({"toolsListChanged":true,"promptsListChanged":false,"resourcesListChanged":1,)"
        R"("later":true,"resourceSubscriptions":["a:1", "b:\"\\\u00e9" ]})");

    EXPECT_TRUE(filter.lists[static_cast<std::size_t>(downstream::ListKind::tools)]);
    EXPECT_FALSE(filter.lists[static_cast<std::size_t>(downstream::ListKind::prompts)]);
    EXPECT_FALSE(filter.lists[static_cast<std::size_t>(downstream::ListKind::resources)]);
    EXPECT_EQ(filter.uris, (std::vector<std::string>{"a:1", "b:\"\\é"}));
}

TEST(ListenFilterTest, AcknowledgesWhatItUnderstood) {
    EXPECT_EQ(listen_filter_of("{}").text(), "{}");
    EXPECT_EQ(listen_filter_of(R"({"resourceSubscriptions":[]})").text(), "{}");
    EXPECT_EQ(listen_filter_of(R"({"resourceSubscriptions":["a","b"]})").text(),
              R"({"resourceSubscriptions":["a","b"]})");
    EXPECT_EQ(listen_filter_of(R"({"resourceSubscriptions":["\""],"resourcesListChanged":true,)"
                               R"("later":1,"toolsListChanged":true,"promptsListChanged":true})")
                  .text(),
              R"({"toolsListChanged":true,"promptsListChanged":true,)"
              R"("resourcesListChanged":true,"resourceSubscriptions":["\""]})");
}

TEST(ListenFilterTest, IgnoresInvalidFilters) {
    for (const std::string_view text :
         {"", "[]", R"({"resourceSubscriptions":"a"})", R"({"resourceSubscriptions":[1,null]})",
          R"({"toolsListChanged":"true"})"}) {
        EXPECT_EQ(listen_filter_of(text).text(), "{}") << text;
    }
}

class ListenTest : public ::testing::Test {
protected:
    std::shared_ptr<Listen> make(std::string id, std::string_view notifications) {
        const auto face = std::make_shared<const downstream::AgentIdentity>(
            downstream::AgentIdentity{.key = "key"});
        const auto agent = std::make_shared<const agents::Agent>(agents::Agent{.face = face});
        return std::make_shared<Listen>(std::move(id), agent, listen_filter_of(notifications), port,
                                        [this](const Listen&) { ++ends; });
    }

    std::shared_ptr<RecordingPort> port = std::make_shared<RecordingPort>();
    int ends = 0;
};

TEST_F(ListenTest, AcknowledgesWithTheIdAsWritten) {
    for (const std::string id : {"0", "\"\"", "\"7\"", "7", "9007199254740993"}) {
        port->sent.clear();

        make(id, R"({"toolsListChanged":true})")->acknowledge();

        EXPECT_EQ(port->sent.at(0),
                  R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
                  R"("params":{"notifications":{"toolsListChanged":true},)"
                  R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                      id + "}}}");
    }
}

TEST_F(ListenTest, ReportsOnlyTheWantedLists) {
    const auto listen = make("\"7\"", R"({"promptsListChanged":true})");
    listen->acknowledge();

    for (const downstream::ListKind kind :
         {downstream::ListKind::tools, downstream::ListKind::prompts,
          downstream::ListKind::resources, downstream::ListKind::templates}) {
        listen->on_list_changed(kind);
    }

    ASSERT_EQ(port->sent.size(), 2U);
    EXPECT_EQ(port->sent[1], R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed",)"
                             R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":)"
                             R"("7"}}})");
}

TEST_F(ListenTest, SendsNothingBeforeItIsAcknowledged) {
    const auto listen = make("1", R"({"toolsListChanged":true,"resourceSubscriptions":["a:"]})");

    listen->on_list_changed(downstream::ListKind::tools);
    listen->on_resource_updated("a:1", R"({"uri":"a:1"})");

    EXPECT_TRUE(port->sent.empty());
}

TEST_F(ListenTest, ReportsResourcesWithTheirParamsAndMeta) {
    const auto listen = make("7", R"({"resourceSubscriptions":["a:1"]})");
    listen->acknowledge();

    listen->on_resource_updated("b:1", R"({"uri":"b:1"})");
    listen->on_resource_updated("a:1", R"({"uri": "a:1","x":1.0})");
    listen->on_resource_updated("a:1/2", R"({"uri":"a:1/2","_meta":{"own":1}})");

    ASSERT_EQ(port->sent.size(), 3U);
    EXPECT_EQ(port->sent[1],
              R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)"
              R"({"uri":"a:1","x":1.0,"_meta":{"io.modelcontextprotocol/subscriptionId":7}}})");
    EXPECT_EQ(port->sent[2],
              R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)"
              R"({"uri":"a:1/2","_meta":{"own":1,"io.modelcontextprotocol/subscriptionId":7}}})");
}

TEST_F(ListenTest, EndsOnceWhenTheAgentCancels) {
    const auto listen = make("7", R"({"toolsListChanged":true})");
    listen->acknowledge();

    listen->cancel();
    listen->cancel();
    listen->finish();
    listen->on_list_changed(downstream::ListKind::tools);

    EXPECT_EQ(ends, 1);
    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_TRUE(port->answers.empty());
    EXPECT_EQ(port->sent.size(), 1U);
}

TEST_F(ListenTest, EndsWhenTheAgentDisconnects) {
    const auto listen = make("7", "{}");
    listen->acknowledge();

    port->gone();

    EXPECT_EQ(ends, 1);
}

TEST_F(ListenTest, IsNotKeptAliveByItsPort) {
    make("7", "{}")->acknowledge();

    port->gone();

    EXPECT_EQ(ends, 0);
}

TEST_F(ListenTest, CanBeEndedByAnAnswer) {
    const auto listen = make("\"s\"", "{}");
    listen->acknowledge();

    listen->finish();
    listen->cancel();

    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":"s","result":{"resultType":"complete",)"
                              R"("_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}})");
    EXPECT_EQ(port->abandoned, 0U);
}

}  // namespace
}  // namespace holdfast::dispatch
