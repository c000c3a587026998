#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integration/net/client_loop.hpp"
#include "rest/rest_opener.hpp"
#include "support/scripted_server.hpp"

// Calls over real sockets to a backend with scripted behaviour.

namespace holdfast::rest {
namespace {

using namespace std::chrono_literals;
using downstream::CallFault;
using downstream::CallResult;
using Kind = CallFault::Kind;
using resilience::Delivery;

RestTool tool(std::string name, std::string method, std::string_view path) {
    RestTool made{.name = std::move(name), .method = std::move(method)};
    made.path = *PathTemplate::parsed(path);
    return made;
}

downstream::Credential key_credential() {
    return {.sources = {{.agent_header = "x-api-key"}, {.value = "from-env"}},
            .header = "X-API-Key",
            .missing = "No key."};
}

class RestLinkTest : public ::testing::Test {
protected:
    void SetUp() override {
        api.url = *net::parsed_url(server.url("/v1/"));
        api.tools = {tool("get", "GET", "/items/{id}"), tool("add", "POST", "/items"),
                     tool("drop", "DELETE", "/items/{id}")};
    }
    void TearDown() override {
        link.reset();
        opener.reset();
        loop.settle();
    }

    /// Opens the link on first use, so that a test can change the API before.
    std::shared_ptr<downstream::Link> open() {
        if (!link) {
            auto made = make_rest_opener(api);
            EXPECT_TRUE(made);
            opener = std::move(*made);
            auto opened = loop.run(opener->open(loop.loop(), {}, {}, loop.within(10s)));
            EXPECT_TRUE(opened);
            link = *opened;
        }
        return link;
    }
    downstream::Request request(const std::string& name, const std::string& arguments) {
        return {.method = "tools/call",
                .params_members = R"("name":")" + name + R"(","arguments":)" + arguments,
                .name = name,
                .agent_headers = agent_headers,
                .deadline = loop.within(10s)};
    }
    CallResult run(downstream::Request asked) {
        return loop.run(open()->call(loop.loop(), std::move(asked), nullptr));
    }
    CallResult call(const std::string& name, const std::string& arguments = R"({"id":"a"})") {
        return run(request(name, arguments));
    }
    CallFault fault_of(CallResult result) {
        EXPECT_FALSE(result);
        return result ? CallFault{} : std::move(result).error();
    }
    void answer_json(int status, const std::string& body, const std::string& headers = "") {
        server.answer("HTTP/1.1 " + std::to_string(status) +
                      " X\r\nContent-Type: application/json\r\n" + headers +
                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }

    net::ClientLoop loop;
    test::ScriptedServer server{loop.context()};
    RestApi api;
    std::shared_ptr<const downstream::AgentHeaders> agent_headers;
    std::unique_ptr<downstream::LinkOpener> opener;
    std::shared_ptr<downstream::Link> link;
};

TEST_F(RestLinkTest, ListsItsToolsWithoutABackend) {
    api.url = *net::parsed_url("http://127.0.0.1:1/");
    api.tools[1].is_read_only = true;
    api.tools[0].description = "Reads \"one\".";

    const auto list = run({.method = "tools/list", .deadline = loop.within(10s)});

    ASSERT_TRUE(list);
    EXPECT_EQ(list->body(),
              R"({"tools":[{"name":"get","description":"Reads \"one\".",)"
              R"("inputSchema":{"type":"object"},)"
              R"("annotations":{"readOnlyHint":true,"openWorldHint":true}},)"
              R"({"name":"add","inputSchema":{"type":"object"},)"
              R"("annotations":{"readOnlyHint":true,"openWorldHint":true}},)"
              R"({"name":"drop","inputSchema":{"type":"object"},"annotations":)"
              R"({"readOnlyHint":false,"idempotentHint":true,"openWorldHint":true}}]})");
    EXPECT_EQ(open()->negotiated().capabilities, R"({"tools":{}})");
    EXPECT_EQ(run({.method = "ping"})->delivery, Delivery::not_sent);
    EXPECT_EQ(run({.method = "resources/list"})->error_code, -32601);
}

TEST_F(RestLinkTest, SendsTheTraceContextOfTheRequest) {
    answer_json(200, "{}");
    downstream::Request asked = request("add", "{}");
    asked.meta_members = R"("other":1,"traceparent":)"
                         R"("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)"
                         R"("tracestate":"a=1")";

    ASSERT_TRUE(run(std::move(asked)));
    EXPECT_NE(server.requests()[0].find(
                  "\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
                  "tracestate: a=1\r\n"),
              std::string::npos)
        << server.requests()[0];
}

TEST_F(RestLinkTest, SendsOneRequestForACall) {
    answer_json(200, R"({"ok":1.50})");

    const auto answer = call("add", R"({"n": 1.50,"t":"x"})");

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body(), R"({"content":[{"type":"text","text":"{\"ok\":1.50}"}],)"
                              R"("structuredContent":{"ok":1.50}})");
    EXPECT_EQ(answer->http_status, 200);
    EXPECT_EQ(answer->delivery, Delivery::answered);
    ASSERT_EQ(server.requests().size(), 1U);
    EXPECT_EQ(server.requests()[0],
              "POST /v1/items HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                  "\r\nAccept: application/json, */*;q=0.5\r\nContent-Type: application/json\r\n"
                  "Content-Length: 18\r\n\r\n{\"n\":1.50,\"t\":\"x\"}");
}

TEST_F(RestLinkTest, KeepsStatusAndTextOfARejection) {
    answer_json(422, R"({"detail":"trace_id is not a UUID"})");

    const CallFault fault = fault_of(call("get"));

    EXPECT_EQ(fault.kind, Kind::http_status);
    EXPECT_EQ(fault.http_status, 422);
    EXPECT_EQ(fault.detail, "trace_id is not a UUID");
    EXPECT_EQ(fault.delivery, Delivery::answered);
}

TEST_F(RestLinkTest, DistinguishesFailures) {
    answer_json(503, R"({"detail":"down"})", "Retry-After: 3\r\n");
    answer_json(429, "{}", "Retry-After: 9\r\n");
    answer_json(401, R"({"detail":"who?"})");

    const CallFault down = fault_of(call("get"));
    const CallFault limited = fault_of(call("get"));
    const CallFault unknown = fault_of(call("get"));

    EXPECT_EQ(down.kind, Kind::http_status);
    EXPECT_EQ(down.http_status, 503);
    EXPECT_EQ(down.retry_after, 3s);
    EXPECT_EQ(limited.kind, Kind::rate_limited);
    EXPECT_EQ(limited.retry_after, 9s);
    EXPECT_EQ(unknown.kind, Kind::unauthorized);
    EXPECT_EQ(unknown.detail, "who?");
}

TEST_F(RestLinkTest, ReportsNotSentIfTheConnectionIsRefused) {
    {
        test::ScriptedServer gone{loop.context()};
        api.url = *net::parsed_url(gone.url());
    }
    loop.settle();

    const CallFault fault = fault_of(call("add"));

    EXPECT_EQ(fault.kind, Kind::unreachable);
    EXPECT_EQ(fault.delivery, Delivery::not_sent);
}

TEST_F(RestLinkTest, ReportsALostRequestAsSent) {
    server.answer({.bytes = "", .closes = true});
    server.answer({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", .closes = true});

    for (int round = 0; round < 2; ++round) {
        const CallFault fault = fault_of(call("add"));

        EXPECT_EQ(fault.kind, Kind::connection_lost) << round;
        EXPECT_EQ(fault.delivery, Delivery::sent) << round;
    }
}

TEST_F(RestLinkTest, ReportsAnswersThatAreNotHttpOrNotJsonAsMalformed) {
    server.answer({.bytes = "220 mail ready\r\n\r\n", .closes = true});
    answer_json(200, R"({"a":)");

    for (int round = 0; round < 2; ++round) {
        const CallFault fault = fault_of(call("add"));

        EXPECT_EQ(fault.kind, Kind::malformed) << round << fault.message;
        EXPECT_EQ(fault.delivery, Delivery::sent) << round;
    }
}

TEST_F(RestLinkTest, AppliesItsOwnTimeoutBeforeTheDeadlineOfTheCall) {
    api.timeout = 20ms;

    const CallFault fault = fault_of(call("add"));

    EXPECT_EQ(fault.kind, Kind::timed_out);
    EXPECT_EQ(fault.delivery, Delivery::sent);
}

TEST_F(RestLinkTest, EndsAtTheDeadlineOfTheCall) {
    downstream::Request asked = request("add", "{}");
    asked.deadline = loop.within(20ms);

    EXPECT_EQ(fault_of(run(std::move(asked))).kind, Kind::timed_out);
}

TEST_F(RestLinkTest, EndsWhenItIsCancelled) {
    const auto task = loop.start(open()->call(loop.loop(), request("add", "{}"), nullptr));
    ASSERT_TRUE(loop.run_until([&] { return server.requests().size() == 1; }));

    task->cancel.emit(boost::asio::cancellation_type::terminal);

    EXPECT_EQ(fault_of(loop.finish(task)).kind, Kind::cancelled);
}

TEST_F(RestLinkTest, LimitsTheSizeOfAnAnswer) {
    api.max_answer_bytes = 10;
    answer_json(200, R"({"text":"longer than that"})");

    EXPECT_EQ(fault_of(call("get")).kind, Kind::too_large);
}

TEST_F(RestLinkTest, SendsNothingForArgumentsThatDoNotFitThePath) {
    for (const std::string_view arguments : {R"({"id":"../x"})", R"({"id":""})", "{}"}) {
        const auto answer = call("get", std::string{arguments});

        ASSERT_TRUE(answer) << arguments;
        EXPECT_EQ(answer->delivery, Delivery::not_sent);
        EXPECT_NE(answer->body().find(R"(Nothing was sent."}],"isError":true})"),
                  std::string_view::npos)
            << answer->body();
    }
    EXPECT_EQ(server.accepted_count(), 0U);
}

TEST_F(RestLinkTest, RejectsAnUnknownTool) {
    const auto answer = call("no\\u0073uch");

    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->is_error());
    EXPECT_EQ(answer->error_code, -32602);
    EXPECT_EQ(answer->delivery, Delivery::not_sent);
}

TEST_F(RestLinkTest, PrefersTheAgentsKeyToItsOwn) {
    api.credentials = {key_credential()};
    answer_json(200, "{}");
    answer_json(200, "{}");

    ASSERT_TRUE(call("get"));
    agent_headers = std::make_shared<downstream::AgentHeaders>(
        downstream::AgentHeaders{{.name = "x-api-key", .value = "from-agent"}});
    ASSERT_TRUE(call("get"));

    ASSERT_EQ(server.requests().size(), 2U);
    EXPECT_NE(server.requests()[0].find("\r\nX-API-Key: from-env\r\n"), std::string::npos);
    EXPECT_NE(server.requests()[1].find("\r\nX-API-Key: from-agent\r\n"), std::string::npos);
    EXPECT_EQ(server.requests()[1].find("from-env"), std::string::npos);
}

TEST_F(RestLinkTest, SendsNothingWithoutAKey) {
    api.credentials = {key_credential()};
    api.credentials[0].sources.pop_back();
    api.refusals = RefusalForm::result;

    const auto answer = call("get");

    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body(), R"({"content":[{"type":"text","text":"No key."}]})");
    EXPECT_EQ(answer->delivery, Delivery::not_sent);
    EXPECT_EQ(server.accepted_count(), 0U);
}

TEST_F(RestLinkTest, HidesAKeyThatTheBackendRepeats) {
    api.credentials = {key_credential()};
    answer_json(403, R"({"detail":"from-env is not allowed"})");

    const CallFault fault = fault_of(call("get"));

    EXPECT_EQ(fault.detail, "[redacted] is not allowed");
    EXPECT_EQ(fault.message.find("from-env"), std::string::npos);
}

TEST_F(RestLinkTest, LimitsTheNumberOfConnections) {
    api.connections = 2;
    std::vector<std::shared_ptr<net::Task<CallResult>>> tasks;
    for (int count = 0; count < 5; ++count) {
        tasks.push_back(loop.start(open()->call(loop.loop(), request("add", "{}"), nullptr)));
    }
    ASSERT_TRUE(loop.run_until([&] { return server.requests().size() == 2; }));
    loop.settle();

    EXPECT_EQ(server.accepted_count(), 2U);
    server.answer_all("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    for (const auto& task : tasks) {
        EXPECT_TRUE(loop.finish(task));
    }
    EXPECT_EQ(server.accepted_count(), 2U);
}

TEST_F(RestLinkTest, LimitsTheNumberOfIdleConnections) {
    api.connections = 3;
    api.kept_alive = 1;
    std::vector<std::shared_ptr<net::Task<CallResult>>> tasks;
    for (int count = 0; count < 3; ++count) {
        tasks.push_back(loop.start(open()->call(loop.loop(), request("add", "{}"), nullptr)));
    }
    ASSERT_TRUE(loop.run_until([&] { return server.requests().size() == 3; }));

    server.answer_all("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    for (const auto& task : tasks) {
        EXPECT_TRUE(loop.finish(task));
    }

    EXPECT_TRUE(loop.run_until([&] { return server.open_count() == 1; }));
    EXPECT_TRUE(call("add"));
    EXPECT_EQ(server.accepted_count(), 3U);
}

}  // namespace
}  // namespace holdfast::rest
