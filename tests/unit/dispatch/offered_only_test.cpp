#include <gtest/gtest.h>

#include "support/gateway/gateway_world.hpp"

namespace holdfast::dispatch {
namespace {

using mcp::Era;
using test::error_answer;
using test::legacy_result;
using test::modern_result;

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

/// What a server does not offer must not seem to work, and what the gateway does not relay must not
/// be offered to a server.
class OfferedOnlyTest : public test::GatewayWorld {
protected:
    void begin_with(Era era, const std::string& capabilities = {}) {
        server = add_server("a", era);
        if (!capabilities.empty()) {
            server->negotiated.capabilities = capabilities;
        }
        begin();
        session = connect();
    }

    std::shared_ptr<test::FakeServer> server;
    std::shared_ptr<agents::AgentSession> session;
};

TEST_F(OfferedOnlyTest, ASubscriptionIsRefusedIfTheServerHasNone) {
    begin_with(Era::legacy, R"({"resources":{"subscribe":false}})");

    const auto port = request(session, "resources/subscribe", R"({"uri":"a:1"})");
    const auto listening =
        request(Modern{}, "subscriptions/listen",
                R"("notifications":{"resourceSubscriptions":["a:1"],"toolsListChanged":true})");

    EXPECT_TRUE(says(port->answer(), "-32601"));
    EXPECT_TRUE(session->subscriptions().empty());
    ASSERT_EQ(listening->sent.size(), 1U);
    EXPECT_TRUE(says(listening->sent[0], R"("notifications":{"toolsListChanged":true})"));
}

TEST_F(OfferedOnlyTest, TheServerDecidesAboutASubscriptionToAUriThatItDoesNotList) {
    begin_with(Era::legacy);

    const auto refused = request(session, "resources/subscribe", R"({"uri":"z:1"})", "1");
    ASSERT_EQ(server->calls.size(), 1U);
    EXPECT_EQ(server->last().request.method, "resources/subscribe");
    EXPECT_EQ(server->last().request.params_members, R"("uri":"z:1")");
    answer(server->last(), error_answer(-32602, R"("message":"no such resource")"));
    EXPECT_TRUE(says(refused->answer(), R"("code":-32602,"message":"no such resource")"));
    EXPECT_TRUE(session->subscriptions().empty());

    const auto accepted = request(session, "resources/subscribe", R"({"uri":"z:1"})", "2");
    answer(server->last(), legacy_result("{}"));
    EXPECT_TRUE(says(accepted->answer(), R"("result":{})"));
    EXPECT_EQ(session->subscriptions(), (std::vector<std::string>{"z:1"}));
    EXPECT_EQ(server->interests.back().resource_uris, (std::vector<std::string>{"z:1"}));
}

TEST_F(OfferedOnlyTest, AListenIsAcknowledgedForKnownUrisOnly) {
    begin_with(Era::legacy);

    const auto port =
        request(Modern{}, "subscriptions/listen",
                R"("notifications":{"resourceSubscriptions":["a:1","nowhere:1","a:","b:7"]})");

    ASSERT_EQ(port->sent.size(), 1U);
    EXPECT_TRUE(says(port->sent[0], R"("resourceSubscriptions":["a:1","a:","b:7"])"));
}

TEST_F(OfferedOnlyTest, AServerSeesOnlyExtensionsThatAreRelayed) {
    const std::string ui = R"("io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]})";
    const std::string all = R"({"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{},)" +
                            ui + R"(,"com.example/x":{}},"sampling":{}})";
    const std::string only_tasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
    begin_with(Era::modern);
    const auto seen = [this](const std::string& capabilities, const std::string& id) {
        request(Modern{.capabilities = capabilities}, "tools/call", R"("name":"t")", id);
        return server->last().request.agent->capabilities;
    };

    EXPECT_EQ(seen(all, "1"), R"({"roots":{},"extensions":{)" + ui + R"(},"sampling":{}})");
    EXPECT_EQ(seen(only_tasks, "2"), "{}");
    EXPECT_EQ(seen(R"({ "roots":{} })", "3"), R"({ "roots":{} })");

    const auto legacy = connect(only_tasks);
    request(legacy, "tools/call", R"({"name":"t"})", "4");
    EXPECT_EQ(server->last().request.agent->capabilities, "{}");
}

TEST_F(OfferedOnlyTest, ATaskThatNobodyRequestedIsAFailureThatNamesIt) {
    begin_with(Era::modern);
    for (const std::string id : {"1", "2"}) {
        const auto port = id == "1" ? request(Modern{}, "tools/call", R"("name":"safe")", id)
                                    : request(session, "tools/call", R"({"name":"safe"})", id);
        const std::size_t calls = server->calls.size();
        auto task = modern_result(R"({"resultType":"task","taskId":"x","status":"working"})");
        task.result_type = downstream::ResultType::task;
        answer(server->last(), std::move(task));

        EXPECT_TRUE(says(port->answer(), R"("isError":true)")) << port->answer();
        EXPECT_TRUE(says(port->answer(), "answered with a task")) << port->answer();
        EXPECT_EQ(server->calls.size(), calls) << "it may still run, so it is not repeated";
    }
}

TEST_F(OfferedOnlyTest, AModernAgentReadsTheUriOfAnUnknownResource) {
    begin_with(Era::legacy);
    const auto read = [this](const std::string& error, const std::string& id) {
        const auto port = request(Modern{}, "resources/read", R"("uri":"z:\"1")", id);
        answer(server->last(), error_answer(-32602, R"("message":"no")" + error));
        return port->answer();
    };

    EXPECT_TRUE(
        says(read("", "1"), R"("error":{"code":-32602,"message":"no","data":{"uri":"z:\"1"}})"));
    EXPECT_TRUE(says(read(R"(,"data":{"why":1})", "2"), R"("data":{"why":1,"uri":"z:\"1"})"));
    EXPECT_TRUE(says(read(R"(,"data":{"uri":"theirs"})", "3"), R"("data":{"uri":"theirs"})"));
    EXPECT_TRUE(says(read(R"(,"data":"text")", "4"), R"("data":"text")"));

    const auto legacy = request(session, "resources/read", R"({"uri":"z:1"})", "5");
    answer(server->last(), error_answer(-32602, R"("message":"no")"));
    EXPECT_TRUE(says(legacy->answer(), R"("error":{"code":-32602,"message":"no"})"));
}

}  // namespace
}  // namespace holdfast::dispatch
