#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/gateway/gateway_world.hpp"

namespace holdfast::dispatch {
namespace {

using mcp::Era;
using namespace std::chrono_literals;

constexpr std::string_view kCapabilities =
    R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
    R"("prompts":{"listChanged":true},"logging":{},"completions":{}})";

class RequestDispatcherListsTest : public test::GatewayWorld {
protected:
    RequestDispatcherListsTest() { options.identity = R"({"name":"gw","version":"1"})"; }

    /// Adds a server with this many tools, named t0, t1, ...
    std::shared_ptr<test::FakeServer> add_tools(const std::string& name, int count) {
        auto server = add_server(name, Era::legacy);
        std::string tools;
        for (int index = 0; index < count; ++index) {
            tools += (index == 0 ? R"({"name":"t)" : R"(,{"name":"t)") + std::to_string(index) +
                     R"(","description":"d","inputSchema":{"type":"object"}})";
        }
        server->lists["tools/list"] = R"({"tools":[)" + tools + "]}";
        return server;
    }
};

TEST_F(RequestDispatcherListsTest, CompletesTheHandshakeWithAnyLegacyVersion) {
    begin();

    connect("{}", "2025-03-26");
    EXPECT_EQ(handshake, R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26",)"
                         R"("capabilities":)" +
                             std::string{kCapabilities} +
                             R"(,"serverInfo":{"name":"gw","version":"1"}}})");
    connect("{}", "2031-01-01");
    EXPECT_NE(handshake.find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
    connect("{}", "2026-07-28");
    EXPECT_NE(handshake.find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
}

TEST_F(RequestDispatcherListsTest, JoinsTheInstructionsOfTheServers) {
    add_server("a", Era::legacy)->negotiated.instructions = "Be \"quick\".";
    add_server("b", Era::legacy);
    add_server("c", Era::modern)->negotiated.instructions = "Be kind.";
    begin();

    connect();

    EXPECT_NE(handshake.find(R"("instructions":"This endpoint combines 3 MCP servers.\n\n)"
                             R"(a: Be \"quick\".\n\nc: Be kind.")"),
              std::string::npos)
        << handshake;
}

TEST_F(RequestDispatcherListsTest, CutsLongInstructionsBetweenCharacters) {
    std::string words = "x";
    while (words.size() < 20'000) {
        words += "é";
    }
    add_server("a", Era::legacy)->negotiated.instructions = words;
    begin();

    const std::string cut = gateway().instructions();

    EXPECT_EQ(cut, words.substr(0, 16'383));
}

TEST_F(RequestDispatcherListsTest, DescribesItselfToAModernAgent) {
    begin();

    EXPECT_EQ(request(Modern{}, "server/discover", "")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",)"
              R"("supportedVersions":["2026-07-28"],"capabilities":)" +
                  std::string{kCapabilities} +
                  R"(,"ttlMs":0,"cacheScope":"private","_meta":)"
                  R"({"io.modelcontextprotocol/serverInfo":{"name":"gw","version":"1"}}}})");
}

TEST_F(RequestDispatcherListsTest, ListsWithoutServers) {
    begin();
    const auto session = connect();

    EXPECT_EQ(request(session, "tools/list", "")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
    EXPECT_EQ(request(Modern{}, "resources/templates/list", "")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",)"
              R"("resourceTemplates":[],"ttlMs":0,"cacheScope":"private","_meta":)"
              R"({"io.modelcontextprotocol/serverInfo":{"name":"gw","version":"1"}}}})");
}

TEST_F(RequestDispatcherListsTest, ListsAllKindsOfAllServers) {
    add_server("a", Era::legacy);
    add_server("b", Era::modern)->lists["resources/list"] =
        R"({"resources":[{"uri":"a:1","name":"again"},{"uri":"c:1","name":"three"}]})";
    begin();
    const auto session = connect();

    EXPECT_EQ(request(session, "prompts/list", "")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"a__p","description":"d"},)"
              R"({"name":"b__p","description":"d"}]}})");
    EXPECT_EQ(request(session, "resources/list", "")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:1","name":"one"},)"
              R"({"uri":"c:1","name":"three"}]}})");
    EXPECT_EQ(request(session, "resources/templates/list", "")->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[)"
              R"({"uriTemplate":"b:{x}","name":"two"}]}})");
}

TEST_F(RequestDispatcherListsTest, SplitsListsIntoPages) {
    options.page_size = 2;
    add_tools("a", 5);
    begin();
    const auto session = connect();
    const auto cursor_in = [](const std::string& answer) {
        const std::size_t at = answer.find(R"("nextCursor":)");
        return at == std::string::npos ? ""
                                       : answer.substr(at + 13, answer.find('}', at) - at - 13);
    };

    const std::string first = request(session, "tools/list", "")->answer();
    const std::string second =
        request(session, "tools/list", R"({"cursor":)" + cursor_in(first) + "}")->answer();
    const std::string third =
        request(session, "tools/list", R"({"cursor":)" + cursor_in(second) + "}")->answer();

    EXPECT_NE(
        first.find(
            R"([{"name":"t0","description":"d","inputSchema":{"type":"object"}},{"name":"t1","description":"d","inputSchema":{"type":"object"}}])"),
        std::string::npos);
    EXPECT_NE(
        second.find(
            R"([{"name":"t2","description":"d","inputSchema":{"type":"object"}},{"name":"t3","description":"d","inputSchema":{"type":"object"}}])"),
        std::string::npos);
    EXPECT_NE(third.find(
                  R"("tools":[{"name":"t4","description":"d","inputSchema":{"type":"object"}}]}})"),
              std::string::npos);
}

TEST_F(RequestDispatcherListsTest, ContinuesInTheSnapshotThatAReaderBeganWith) {
    options.page_size = 1;
    const auto server = add_tools("a", 2);
    begin();
    const auto session = connect();
    const std::string generation = std::to_string(gateway().surface()->generation());
    on_loop([&] {
        gateway().on_listed("a", {.kind = downstream::ListKind::tools,
                                  .entries = {{.key = "new", .definition = R"({"name":"new"})"}}});
    });
    loop.run_for(100ms);

    const auto port = request(session, "tools/list", R"({"cursor":")" + generation + R"(-1"})");

    EXPECT_NE(port->answer().find(R"("name":"t1")"), std::string::npos);
}

TEST_F(RequestDispatcherListsTest, RejectsForeignCursors) {
    add_tools("a", 3);
    begin();
    const auto session = connect();
    for (const std::string cursor : {"\"x\"", "\"999-0\"", "\"1-99\"", "7", "null", "\"\""}) {
        const auto port = request(session, "tools/list", R"({"cursor":)" + cursor + "}");

        EXPECT_NE(port->answer().find(R"("code":-32602)"), std::string::npos) << cursor;
    }
}

TEST_F(RequestDispatcherListsTest, WaitsAtTheStartForUnknownServers) {
    add_tools("a", 1);
    add_server("down", Era::legacy)->is_down = true;
    create();
    const auto session = connect();

    const auto early = request(session, "tools/list", "");
    EXPECT_EQ(early->ends(), 0U);
    loop.run_for(100ms);

    EXPECT_NE(early->answer().find("a__t0"), std::string::npos);
}

TEST_F(RequestDispatcherListsTest, ACallAtTheStartWaitsForUnknownServersToo) {
    const auto server = add_tools("a", 1);
    create();
    const auto session = connect();

    const auto known = request(session, "tools/call", R"({"name":"t0","arguments":{"x":1}})", "1");
    const auto unknown = request(session, "tools/call", R"({"name":"t00"})", "2");
    EXPECT_EQ(known->ends() + unknown->ends(), 0U);
    loop.run_for(100ms);

    ASSERT_EQ(server->calls.size(), 1U);
    EXPECT_EQ(server->last().request.params_members, R"("name":"t0","arguments":{"x":1})");
    EXPECT_NE(unknown->answer().find("TOOL_NOT_FOUND"), std::string::npos);
}

TEST_F(RequestDispatcherListsTest, ACallThatWaitsAtTheStartCanBeCancelled) {
    const auto server = add_tools("a", 1);
    create();
    const auto session = connect();

    const auto cancelled = request(session, "tools/call", R"({"name":"t0"})", "1");
    const auto wanted = request(session, "tools/call", R"({"name":"t0"})", "2");
    notify(*session, "notifications/cancelled", R"({"requestId":1})");
    loop.run_for(100ms);

    EXPECT_EQ(cancelled->abandoned, 1U);
    EXPECT_EQ(cancelled->ends(), 1U);
    ASSERT_EQ(server->calls.size(), 1U) << "only the other one is sent";
    notify(*session, "notifications/cancelled", R"({"requestId":2})");
    EXPECT_EQ(wanted->abandoned, 1U) << "a call that has begun is found by its id too";
}

TEST_F(RequestDispatcherListsTest, AnIdIsInUseWhileItsCallWaitsAtTheStart) {
    const auto server = add_tools("a", 1);
    create();
    const auto session = connect();

    const auto first = request(session, "tools/call", R"({"name":"t0"})", "7");
    const auto second = request(session, "tools/call", R"({"name":"t0"})", "7");
    loop.run_for(100ms);

    EXPECT_NE(second->answer().find("use another id"), std::string::npos) << second->answer();
    EXPECT_EQ(first->ends(), 0U);
    EXPECT_EQ(server->calls.size(), 1U);
}

TEST_F(RequestDispatcherListsTest, ASessionIsNotQuietBetweenTheWaitAndTheCall) {
    const auto server = add_tools("a", 1);
    create();
    const auto session = connect();
    const auto port = request(session, "tools/call", R"({"name":"t0"})", "1");
    int quiet = 0;
    session->when_quiet([&quiet] { ++quiet; });

    loop.run_for(100ms);
    ASSERT_EQ(server->calls.size(), 1U);
    EXPECT_EQ(quiet, 0);

    notify(*session, "notifications/cancelled", R"({"requestId":1})");
    EXPECT_EQ(quiet, 1);
}

TEST_F(RequestDispatcherListsTest, LimitsItsWait) {
    auto server = add_tools("a", 1);
    server->lists.erase("tools/list");
    create();
    const auto session = connect();
    const auto port = request(session, "tools/list", "");

    loop.run_for(1'499ms);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
}

TEST_F(RequestDispatcherListsTest, StartsServersWithTheFirstRequestIfConfigured) {
    options.starts_at_once = false;
    const auto server = add_tools("a", 1);
    begin();
    const auto session = connect();
    EXPECT_TRUE(server->listener.expired());
    request(session, "ping", "");
    EXPECT_TRUE(server->listener.expired());

    const auto port = request(session, "tools/list", "");
    loop.run_for(100ms);

    EXPECT_NE(port->answer().find("t0"), std::string::npos);
}

TEST_F(RequestDispatcherListsTest, AnswersPingsOfLegacyAgentsOnly) {
    begin();

    EXPECT_EQ(request(connect(), "ping", "")->answer(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_NE(request(Modern{}, "ping", "")->answer().find("-32601"), std::string::npos);
}

TEST_F(RequestDispatcherListsTest, RejectsOtherMethods) {
    begin();
    const auto session = connect();
    for (const std::string method : {"tasks/list", "initialize", "server/discover",
                                     "subscriptions/listen", "x", "notifications/cancelled"}) {
        EXPECT_NE(request(session, method, "{}")->answer().find("-32601"), std::string::npos)
            << method;
    }
    for (const std::string method : {"resources/subscribe", "logging/setLevel"}) {
        EXPECT_NE(request(Modern{}, method, "")->answer().find("-32601"), std::string::npos)
            << method;
    }
}

}  // namespace
}  // namespace holdfast::dispatch
