#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/gateway/gateway_world.hpp"

namespace holdfast::dispatch {
namespace {

using mcp::Era;
using test::legacy_result;

class RequestDispatcherCallsTest : public test::GatewayWorld {
protected:
    void SetUp() override {
        one = add_server("a", Era::legacy);
        two = add_server("b", Era::legacy);
        two->lists["resources/list"] = R"({"resources":[{"uri":"c:1","name":"x"}]})";
        two->lists["resources/templates/list"] =
            R"({"resourceTemplates":[{"uriTemplate":"d://s/{x}","name":"y"}]})";
        one->lists["resources/templates/list"] =
            R"({"resourceTemplates":[{"uriTemplate":"b://s/{x}","name":"z"}]})";
        begin();
        session = connect();
    }
    static std::string refusal(int code, const std::string& words) {
        return R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code) +
               R"(,"message":")" + words + "\"";
    }

    std::shared_ptr<test::FakeServer> one;
    std::shared_ptr<test::FakeServer> two;
    std::shared_ptr<agents::AgentSession> session;
};

TEST_F(RequestDispatcherCallsTest, CallsAToolOfTheServerThatHasIt) {
    request(session, "tools/call", R"({"name":"b__t","arguments":{"x":1},"y":2})");

    EXPECT_TRUE(one->calls.empty());
    ASSERT_EQ(two->calls.size(), 1U);
    EXPECT_EQ(two->last().request.method, "tools/call");
    EXPECT_EQ(two->last().request.params_members, R"("name":"t","arguments":{"x":1},"y":2)");
    EXPECT_EQ(two->last().request.agent->key, session->key());
    EXPECT_TRUE(two->last().request.agent->is_session);
}

TEST_F(RequestDispatcherCallsTest, NamesTheNearestToolsForAnUnknownName) {
    const auto port = request(session, "tools/call", R"({"name":"b__tt"})");

    EXPECT_TRUE(port->answer().starts_with(
        refusal(-32602, R"(There is no tool \"b__tt\". Did you mean b__t?)")))
        << port->answer();
    EXPECT_NE(port->answer().find(R"("data":{"code":"TOOL_NOT_FOUND","tool":"b__tt")"),
              std::string::npos);
}

TEST_F(RequestDispatcherCallsTest, SendsAnUnlistedNameToTheOnlyServerThatCanHaveIt) {
    const auto port = request(session, "tools/call", R"({"name":"b__quite_another"})");
    ASSERT_EQ(two->calls.size(), 1U);
    EXPECT_EQ(two->last().request.params_members, R"("name":"quite_another","arguments":{})");
    answer(two->last(), test::legacy_result(R"({"content":[]})"));
    const auto bare = request(session, "tools/call", R"({"name":"quite_another"})", "2");

    EXPECT_NE(port->answer().find(R"("content":[])"), std::string::npos) << port->answer();
    EXPECT_NE(bare->answer().find("TOOL_NOT_FOUND"), std::string::npos) << "either could have it";
}

class SilentServerTest : public test::GatewayWorld {
protected:
    void SetUp() override {
        add_server("a", Era::legacy);
        add_server("slow", Era::legacy)->is_down = true;
        begin();
        session = connect();
    }
    std::string answer_to(const std::string& tool) {
        return request(session, "tools/call", R"({"name":")" + tool + "\"}")->answer();
    }

    std::shared_ptr<agents::AgentSession> session;
};

TEST_F(SilentServerTest, ItsToolsAreNotReportedAsUnknownBeforeItListsThem) {
    for (const std::string name : {"slow__t", "slow.t"}) {
        const std::string answer = answer_to(name);

        EXPECT_NE(answer.find(R"("isError":true)"), std::string::npos) << answer;
        EXPECT_NE(answer.find("CONNECTION_LOST"), std::string::npos) << answer;
        EXPECT_NE(answer.find(R"(is not connected, so its tools are not known yet)"),
                  std::string::npos)
            << answer;
        EXPECT_EQ(answer.find("nearest"), std::string::npos) << answer;
    }
}

TEST_F(SilentServerTest, OtherNamesAreUnknown) {
    for (const std::string name : {"a__u", "slow", "slowly__t", "t2"}) {
        EXPECT_NE(answer_to(name).find("TOOL_NOT_FOUND"), std::string::npos) << name;
    }
}

TEST_F(RequestDispatcherCallsTest, RejectsInvalidParams) {
    for (const std::string params : {"{}", R"({"name":7})", R"({"name":"a__t","arguments":[]})",
                                     R"({"name":"a__t","arguments":null})"}) {
        EXPECT_NE(request(session, "tools/call", params)->answer().find(R"("code":-32602)"),
                  std::string::npos)
            << params;
    }
    EXPECT_NE(request(session, "prompts/get", "{}")->answer().find("-32602"), std::string::npos);
    EXPECT_NE(request(session, "resources/read", "{}")->answer().find("-32602"), std::string::npos);
    EXPECT_NE(request(session, "completion/complete", "{}")->answer().find("-32602"),
              std::string::npos);
    EXPECT_TRUE(one->calls.empty() && two->calls.empty());
}

TEST_F(RequestDispatcherCallsTest, DoesNotSendInvalidArguments) {
    one->lists["tools/list"] = R"({"tools":[{"name":"u","inputSchema":{"required":["q"]}},)"
                               R"({"name":"broken","inputSchema":{"required":5}}]})";
    std::string problems;
    options.on_unchecked = [&problems](const std::string& tool, const std::string& problem) {
        problems += tool + " " + problem + ";";
    };
    begin();
    session = connect();

    const auto port = request(session, "tools/call", R"({"name":"u"})");
    const auto modern = request(Modern{}, "tools/call", R"("name":"u","arguments":{})");

    EXPECT_TRUE(one->calls.empty());
    for (const auto& answered : {port, modern}) {
        EXPECT_NE(answered->answer().find(R"("isError":true)"), std::string::npos);
        EXPECT_NE(answered->answer().find(R"("_meta":{"dev.holdfast/failure":{"code":"INVALID_A)"),
                  std::string::npos)
            << answered->answer();
    }
    EXPECT_NE(modern->answer().find(R"("resultType":"complete")"), std::string::npos);
    EXPECT_EQ(problems, "");

    request(session, "tools/call", R"({"name":"broken"})", "2");
    request(session, "tools/call", R"({"name":"broken"})", "3");

    EXPECT_EQ(one->calls.size(), 2U) << "what cannot be checked is sent";
    EXPECT_TRUE(problems.starts_with("a__broken #/required: ")) << problems;
    EXPECT_EQ(problems.find("broken", 4), std::string::npos) << problems;
}

TEST_F(RequestDispatcherCallsTest, GetsAPromptUnderItsOwnName) {
    request(session, "prompts/get", R"({"arguments":{"x":"y"},"name":"b__p"})");

    ASSERT_EQ(two->calls.size(), 1U);
    EXPECT_EQ(two->last().request.params_members, R"("arguments":{"x":"y"},"name":"p")");
    EXPECT_NE(request(session, "prompts/get", R"({"name":"q"})", "2")->answer().find("There is no"),
              std::string::npos);
}

TEST_F(RequestDispatcherCallsTest, ReadsAResourceFromItsServer) {
    request(session, "resources/read", R"({"uri":"c:1"})", "1");
    request(session, "resources/read", R"({"uri":"d://s/9"})", "2");
    request(session, "resources/read", R"({"uri":"b://s/9"})", "3");

    EXPECT_EQ(two->calls.size(), 2U);
    ASSERT_EQ(one->calls.size(), 1U);
    EXPECT_EQ(one->last().request.name, "b://s/9");
}

TEST_F(RequestDispatcherCallsTest, RejectsAnUnknownResource) {
    EXPECT_EQ(request(session, "resources/read", R"({"uri":"z:1"})")->answer(),
              refusal(-32002, "No server has this resource.") + R"(,"data":{"uri":"z:1"}}})");
    EXPECT_EQ(request(Modern{}, "resources/read", R"("uri":"z:1")")->answer(),
              refusal(-32602, "No server has this resource.") + R"(,"data":{"uri":"z:1"}}})");
}

TEST_F(RequestDispatcherCallsTest, CompletesForPromptsAndTemplates) {
    request(session, "completion/complete",
            R"({"ref":{"type":"ref/prompt","name":"b__p"},"argument":{"name":"x","value":"y"}})",
            "1");
    ASSERT_EQ(two->calls.size(), 1U);
    EXPECT_EQ(two->last().request.params_members,
              R"("ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":"y"})");

    request(session, "completion/complete", R"({"ref":{"type":"ref/resource","uri":"d://s/{x}"}})",
            "2");
    ASSERT_EQ(two->calls.size(), 2U);
    EXPECT_EQ(two->last().request.params_members,
              R"("ref":{"type":"ref/resource","uri":"d://s/{x}"})");
    EXPECT_NE(request(session, "completion/complete",
                      R"({"ref":{"type":"ref/prompt","name":"none"}})", "3")
                  ->answer()
                  .find("-32602"),
              std::string::npos);
}

TEST_F(RequestDispatcherCallsTest, SharesAnIdentityAmongEqualModernRequests) {
    request(Modern{}, "tools/call", R"("name":"a__t")", "1");
    request(Modern{}, "tools/call", R"("name":"a__t")", "2");
    request(Modern{.capabilities = "{}"}, "tools/call", R"("name":"a__t")", "3");
    request(Modern{.principal = "bob"}, "tools/call", R"("name":"a__t")", "4");

    ASSERT_EQ(one->calls.size(), 4U);
    const auto key = [this](std::size_t index) { return one->calls[index]->request.agent->key; };
    EXPECT_EQ(key(0), key(1));
    EXPECT_NE(key(0), key(2));
    EXPECT_NE(key(0), key(3));
    EXPECT_FALSE(one->last().request.agent->is_session);
}

TEST_F(RequestDispatcherCallsTest, RequiresHeadersToMatchTheirArguments) {
    on_loop([this] {
        gateway().on_listed(
            "a", {.kind = downstream::ListKind::tools,
                  .entries = {{.key = "city",
                               .definition =
                                   R"({"name":"city","inputSchema":{"type":"object","properties":)"
                                   R"({"c":{"type":"string","x-mcp-header":"City"}}}})"}}});
    });
    loop.run_for(std::chrono::milliseconds{100});
    net::HttpHeaders good;
    good.add("Mcp-Param-City", "Rome");
    net::HttpHeaders bad;
    bad.add("Mcp-Param-City", "Paris");
    net::HttpHeaders none;
    const std::string params = R"("name":"a__city","arguments":{"c":"Rome"})";

    request(Modern{.headers = &good}, "tools/call", params, "1");
    EXPECT_EQ(one->calls.size(), 1U);
    for (const net::HttpHeaders* headers : {&bad, &none}) {
        const auto port = request(Modern{.headers = headers}, "tools/call", params);
        EXPECT_EQ(port->status, 400);
        EXPECT_NE(port->answer().find("-32020"), std::string::npos);
    }
    request(Modern{}, "tools/call", params, "2");
    EXPECT_EQ(one->calls.size(), 2U);
}

TEST_F(RequestDispatcherCallsTest, PassesOnTheTraceOfHeaders) {
    const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    net::HttpHeaders headers;
    headers.add("traceparent", trace);
    const std::string params = R"("name":"a__t")";

    request(Modern{.headers = &headers}, "tools/call", params, "1");
    EXPECT_EQ(one->last().request.meta_members, R"("traceparent":")" + trace + "\"");
    request(Modern{.more_meta = R"(,"traceparent":"its own")", .headers = &headers}, "tools/call",
            params, "2");
    EXPECT_EQ(one->last().request.meta_members, R"("traceparent":"its own")");
}

TEST_F(RequestDispatcherCallsTest, SetsTheLevelOfTheLog) {
    EXPECT_EQ(request(session, "logging/setLevel", R"({"level":"alert"})")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(session->log_level(), "alert");
    for (const std::string level : {"\"loud\"", "7"}) {
        EXPECT_NE(request(session, "logging/setLevel", R"({"level":)" + level + "}")
                      ->answer()
                      .find("-32602"),
                  std::string::npos);
    }
    EXPECT_EQ(session->log_level(), "alert");
}

TEST_F(RequestDispatcherCallsTest, SubscribesToWhatExists) {
    EXPECT_EQ(request(session, "resources/subscribe", R"({"uri":"c:1"})")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(session->subscriptions(), (std::vector<std::string>{"c:1"}));
    EXPECT_EQ(two->interests.back().resource_uris, (std::vector<std::string>{"c:1"}));
    EXPECT_NE(request(session, "resources/subscribe", R"({"uri":"z:1"})")->answer().find("-32602"),
              std::string::npos);
    EXPECT_NE(request(session, "resources/subscribe", "{}")->answer().find("-32602"),
              std::string::npos);

    request(session, "resources/unsubscribe", R"({"uri":"c:1"})");

    EXPECT_TRUE(session->subscriptions().empty());
    EXPECT_TRUE(two->interests.back().resource_uris.empty());
}

}  // namespace
}  // namespace holdfast::dispatch
