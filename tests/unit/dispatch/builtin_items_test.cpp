#include "surface/builtin_items.hpp"

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::dispatch {
namespace {

namespace asio = boost::asio;
using mcp::Era;
using namespace std::chrono_literals;

constexpr std::string_view kDefinition =
    R"({"name":"look","description":"Looks.","inputSchema":{"type":"object",)"
    R"("properties":{"at":{"type":"string"}},"required":["at"]}})";

/// A call whose work waits until the test finishes it.
struct PendingCall {
    explicit PendingCall(surface::BuiltinCall the_call)
        : call(std::move(the_call)), finished(*call.loop.timekeeper) {}

    void finish(std::string text) {
        result = std::move(text);
        finished.signal();
    }

    const surface::BuiltinCall call;
    resilience::OneShot finished;
    surface::BuiltinResult result;
    bool is_cancelled = false;
};

asio::awaitable<surface::BuiltinResult> result_of(std::shared_ptr<PendingCall> pending) {
    const auto reason = co_await pending->finished.wait_until(resilience::TimePoint::max());
    pending->is_cancelled = reason == resilience::WakeReason::cancelled;
    co_return pending->result;
}

asio::awaitable<surface::BuiltinResult> nothing(surface::BuiltinCall) {
    co_return R"({"content":[]})";
}

class BuiltinItemsTest : public test::GatewayWorld {
protected:
    surface::BuiltinWork pending_work() {
        return [this](surface::BuiltinCall call) {
            last = std::make_shared<PendingCall>(std::move(call));
            return result_of(last);
        };
    }
    /// A gateway that serves `look` and `holdfast://it` itself; the test finishes their calls.
    void begin_with_own() {
        begin_with([this](dispatch::Gateway& gateway) {
            gateway.offer(
                {{.name = "look", .definition = std::string{kDefinition}, .run = pending_work()},
                 {.name = "hidden",
                  .definition = R"({"name":"hidden","inputSchema":{"type":"object"}})",
                  .run = nothing,
                  .listed = surface::BuiltinTool::Listed::when_searched},
                 {.name = "pass",
                  .definition =
                      R"({"name":"pass","inputSchema":{"type":"object",)"
                      R"("properties":{"name":{"type":"string"}},"required":["name"]}})"}},
                {{.uri = "holdfast://it",
                  .definition = R"({"uri":"holdfast://it","name":"it"})",
                  .read = pending_work()}});
        });
    }

    std::shared_ptr<PendingCall> last;
};

TEST_F(BuiltinItemsTest, AreListedAfterThoseOfTheServers) {
    add_server("a", Era::legacy);
    begin_with_own();
    const auto session = connect();

    const std::string tools = request(session, "tools/list", "")->answer();
    const std::string resources = request(Modern{}, "resources/list", "")->answer();

    EXPECT_GT(tools.find(kDefinition), tools.find(R"("name":"safe")"));
    EXPECT_NE(tools.find(kDefinition), std::string::npos);
    EXPECT_EQ(tools.find("hidden"), std::string::npos);
    EXPECT_NE(resources.find(R"({"uri":"a:1","name":"one"},{"uri":"holdfast://it","name":"it"}])"),
              std::string::npos)
        << resources;
}

TEST_F(BuiltinItemsTest, AnswerInBothErasAndLater) {
    begin_with_own();
    const auto session = connect();

    const auto legacy =
        request(session, "tools/call", R"({"name":"look","arguments":{"at":"x"}})", "5");
    EXPECT_EQ(legacy->ends(), 0U);
    EXPECT_EQ(last->call.arguments, R"({"at":"x"})");
    EXPECT_EQ(last->call.session, session);
    on_loop([&] { last->finish(R"({"content":[]})"); });
    EXPECT_EQ(legacy->answer(), R"({"jsonrpc":"2.0","id":5,"result":{"content":[]}})");

    const auto modern =
        request(Modern{}, "tools/call", R"("name":"look","arguments":{"at":"x"})", "6");
    on_loop([&] { last->finish(R"({"content":[]})"); });
    EXPECT_EQ(modern->answer(),
              R"({"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","content":[]}})");
    EXPECT_EQ(gateway().calls()->in_flight->load(), 0U);
}

TEST_F(BuiltinItemsTest, ReadTheirResources) {
    begin_with_own();

    const auto port = request(Modern{}, "resources/read", R"("uri":"holdfast://it")");
    on_loop([&] { last->finish(R"({"contents":[]})"); });

    EXPECT_EQ(port->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":0,)"
              R"("cacheScope":"private","contents":[]}})");
}

TEST_F(BuiltinItemsTest, AreNotRunWithInvalidArguments) {
    begin_with_own();

    const auto port = request(connect(), "tools/call", R"({"name":"look","arguments":{"at":1}})");

    EXPECT_FALSE(last);
    EXPECT_NE(port->answer().find("INVALID_ARGUMENTS"), std::string::npos) << port->answer();
}

TEST_F(BuiltinItemsTest, AnswerInTimeEvenIfTheirWorkDoesNot) {
    begin_with_own();
    const auto session = connect();
    const auto slow = request(session, "tools/call", R"({"name":"look","arguments":{"at":""}})");
    const auto read = request(session, "resources/read", R"({"uri":"holdfast://it"})", "2");

    loop.run_for(9'999ms);
    EXPECT_EQ(slow->ends() + read->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_NE(slow->answer().find(R"("code\":\"TIMEOUT)"), std::string::npos) << slow->answer();
    EXPECT_NE(read->answer().find("-32603"), std::string::npos) << read->answer();
    EXPECT_TRUE(last->is_cancelled);
    EXPECT_EQ(gateway().calls()->in_flight->load(), 0U);
}

TEST_F(BuiltinItemsTest, AreCancelledByTheirAgent) {
    begin_with_own();
    const auto session = connect();
    const auto port = request(session, "tools/call", R"({"name":"look","arguments":{"at":""}})");

    notify(*session, "notifications/cancelled", R"({"requestId":1})");
    on_loop([&] { last->finish("{}"); });

    EXPECT_TRUE(last->is_cancelled);
    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_TRUE(port->answers.empty());
    EXPECT_TRUE(session->is_idle());
}

TEST_F(BuiltinItemsTest, KeepAToolWithTheSameNameReachable) {
    const auto server = add_server("a", Era::legacy);
    server->lists["tools/list"] =
        R"({"tools":[{"name":"look","description":"d","inputSchema":{"type":"object"}}]})";
    begin_with_own();
    const auto session = connect();

    EXPECT_NE(request(session, "tools/list", "")->answer().find(R"("name":"a__look")"),
              std::string::npos);
    request(session, "tools/call", R"({"name":"a__look"})", "3");
    EXPECT_EQ(server->calls.size(), 1U);
    request(session, "tools/call", R"({"name":"look","arguments":{"at":""}})", "4");
    EXPECT_EQ(server->calls.size(), 1U);
    EXPECT_TRUE(last);
}

TEST_F(BuiltinItemsTest, ForwardToAnotherToolLikeADirectCall) {
    const auto server = add_server("a", Era::legacy);
    begin_with_own();
    const auto session = connect();

    const auto port = request(
        session, "tools/call",
        R"({"name":"pass","arguments":{"name":"t","arguments":{"x":1}},"_meta":{"progressToken":7}})");
    ASSERT_EQ(server->calls.size(), 1U);
    EXPECT_EQ(server->last().request.params_members, R"("name":"t","arguments":{"x":1})");
    EXPECT_TRUE(server->last().request.wants_progress);
    answer(server->last(), test::legacy_result(R"({"content":[]})"));
    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");

    const auto own =
        request(session, "tools/call", R"({"name":"pass","arguments":{"name":"hidden"}})");
    EXPECT_NE(own->answer().find(R"("content":[])"), std::string::npos);
    const auto unknown =
        request(session, "tools/call", R"({"name":"pass","arguments":{"name":"tt"}})");
    EXPECT_NE(unknown->answer().find("TOOL_NOT_FOUND"), std::string::npos);
    const auto twice =
        request(session, "tools/call",
                R"({"name":"pass","arguments":{"name":"pass","arguments":{"name":"t"}}})");
    EXPECT_NE(twice->answer().find("-32602"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::dispatch
