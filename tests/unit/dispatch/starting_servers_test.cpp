// What agents see of servers that have not finished their first start.

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/listing_cache.hpp"
#include "dispatch/search_tools.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::dispatch {
namespace {

using mcp::Era;
using namespace std::chrono_literals;

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

class CallRecorder final : public record::Recorder {
public:
    void on_call(const record::CallRecord& record) override { calls.push_back(kept(record)); }
    void on_event(record::Event /*event*/) override {}

    std::vector<std::shared_ptr<const record::CallRecord>> calls;
};

class StartingServersTest : public test::GatewayWorld {
protected:
    StartingServersTest() {
        options.recorder = recorder;
        options.surface.mode = surface::SurfaceMode::automatic;
        policy = "{}";
    }

    std::shared_ptr<test::FakeServer> add_slow(const std::string& name,
                                               resilience::Duration start) {
        auto server = add_server(name, Era::legacy);
        server->opens_at = loop.timekeeper.now() + start;
        return server;
    }
    void begin_for(resilience::Duration time) {
        create([](Gateway& gateway) { gateway.offer(search_tools(gateway.weak_from_this())); });
        loop.run_for(time);
    }
    /// Adds a server, or replaces the one of that name.
    void reload_with(const std::string& name, const std::shared_ptr<test::FakeServer>& server) {
        std::vector<surface::Server> servers = *gateway().servers();
        std::erase_if(servers, [&name](const surface::Server& one) { return one.name == name; });
        servers.push_back({.name = name,
                           .downstream = downstream::Downstream::make(
                               home(), std::make_unique<test::FakeOpener>(server), {.name = name},
                               gateway().weak_from_this()),
                           .home = home(),
                           .guard = holdfast::testing::guard_with(name, policy, nullptr, "[]")});
        on_loop([&] { gateway().change({.servers = std::move(servers)}); });
    }
    std::string listed(const std::shared_ptr<agents::AgentSession>& session) {
        return request(session, "tools/list", "", "90")->answer();
    }

    const std::shared_ptr<CallRecorder> recorder = std::make_shared<CallRecorder>();
};

TEST_F(StartingServersTest, ACallOfAnUnlistedToolWaitsForTheStartAndIsSent) {
    const auto slow = add_slow("slow", 45s);
    add_server("quick", Era::legacy);
    begin_for(2s);
    const auto session = connect();

    const auto port = request(session, "tools/call", R"({"name":"slow__t","arguments":{"a":1}})");
    loop.run_for(42s);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(2s);
    ASSERT_EQ(slow->calls.size(), 1U);
    answer(slow->last(), test::legacy_result(R"({"content":[]})"));

    EXPECT_TRUE(has(port->answer(), R"("content":[])")) << port->answer();
}

TEST_F(StartingServersTest, ACallOfAListedToolWaitsForTheStartWithinItsDeadline) {
    const auto slow = add_slow("slow", 45s);
    begin_for(2s);
    on_loop([&] {
        gateway().on_listed(
            "slow", {.kind = downstream::ListKind::tools,
                     .entries = {{.key = "t", .definition = R"({"name":"t","inputSchema":{}})"}}});
    });
    loop.run_for(1s);
    const auto session = connect();

    const auto port = request(session, "tools/call", R"({"name":"t"})");
    loop.run_for(43s);
    ASSERT_EQ(slow->calls.size(), 1U);
    answer(slow->last(), test::legacy_result(R"({"content":[]})"));

    EXPECT_TRUE(has(port->answer(), R"("content":[])")) << port->answer();
}

TEST_F(StartingServersTest, AtItsDeadlineACallEndsWithTheTimeToRetry) {
    policy = R"({"timeout":"10s"})";
    add_slow("slow", 10min);
    begin_for(2s);
    const auto session = connect();

    const auto port = request(session, "tools/call", R"({"name":"t"})");
    loop.run_for(10s - 1ns);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1ns);

    const std::string answer = port->answer();
    EXPECT_TRUE(has(answer, R"(\"slow\" is still starting (12 s). Retry in 12 s.)")) << answer;
    EXPECT_TRUE(has(answer, R"("code":"STARTING","tool":"t","server":"slow")")) << answer;
    EXPECT_TRUE(has(answer, R"("retryable":true,"retryAfter":12,"sideEffects":"none")")) << answer;
    ASSERT_EQ(recorder->calls.size(), 1U);
    EXPECT_EQ(recorder->calls[0]->server, "slow");
    EXPECT_EQ(recorder->calls[0]->outcome, "STARTING");
}

TEST_F(StartingServersTest, TheSameForAToolThatIsKnownFromAnEarlierRun) {
    policy = R"({"timeout":"40s","retry":"none"})";
    add_slow("slow", 10min);
    begin_for(2s);
    on_loop([&] {
        gateway().on_listed(
            "slow", {.kind = downstream::ListKind::tools,
                     .entries = {{.key = "t", .definition = R"({"name":"t","inputSchema":{}})"}}});
    });
    loop.run_for(1s);
    const auto session = connect();

    const auto port = request(session, "tools/call", R"({"name":"t"})");
    loop.run_for(40s);

    const std::string answer = port->answer();
    EXPECT_TRUE(has(answer, R"("code":"STARTING")")) << answer;
    EXPECT_TRUE(has(answer, "Retry in 30 s.")) << answer;
}

TEST_F(StartingServersTest, AWaitingCallCanBeCancelled) {
    const auto slow = add_slow("slow", 20s);
    begin_for(2s);
    const auto session = connect();
    const auto port = request(session, "tools/call", R"({"name":"t"})");

    notify(*session, "notifications/cancelled", R"({"requestId":1})");
    loop.run_for(30s);

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_TRUE(port->answers.empty());
    EXPECT_TRUE(slow->calls.empty());
    EXPECT_TRUE(session->is_idle());
}

TEST_F(StartingServersTest, AWaitingCallEndsWhenItsServerCannotStart) {
    const auto slow = add_slow("slow", 20s);
    slow->is_down = true;
    begin_for(2s);
    const auto session = connect();

    const auto port = request(session, "tools/call", R"({"name":"t"})");
    loop.run_for(20s);

    EXPECT_TRUE(has(port->answer(), R"("code":"CONNECTION_LOST")")) << port->answer();
    EXPECT_TRUE(has(port->answer(), "It is down.")) << port->answer();
}

TEST_F(StartingServersTest, ACallWaitsForTheStartOfAServerThatAReloadHasAdded) {
    add_server("quick", Era::legacy);
    begin_for(2s);
    const auto session = connect();
    const auto late = std::make_shared<test::FakeServer>();
    late->opens_at = loop.timekeeper.now() + 20s;
    reload_with("late", late);

    const auto port = request(session, "tools/call", R"({"name":"late__t"})");
    loop.run_for(19s);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(2s);
    ASSERT_EQ(late->calls.size(), 1U);
    answer(late->last(), test::legacy_result(R"({"content":[]})"));

    EXPECT_TRUE(has(port->answer(), R"("content":[])")) << port->answer();
}

TEST_F(StartingServersTest, ACallWaitsForTheStartOfAServerThatAReloadHasReplaced) {
    add_server("one", Era::legacy);
    add_server("two", Era::legacy);
    begin_for(2s);
    const auto session = connect();
    const auto changed = std::make_shared<test::FakeServer>();
    changed->opens_at = loop.timekeeper.now() + 20s;
    reload_with("two", changed);

    const auto port = request(session, "tools/call", R"({"name":"two__t"})");
    const auto unlisted = request(session, "tools/call", R"({"name":"two__xyz"})", "2");
    loop.run_for(19s);
    EXPECT_EQ(port->ends(), 0U);
    EXPECT_EQ(unlisted->ends(), 0U);
    connect();
    EXPECT_TRUE(has(handshake, "Still starting: two.")) << handshake;
    loop.run_for(2s);

    // It lists what it listed before, and may have the other tool too.
    ASSERT_EQ(changed->calls.size(), 2U);
    for (const auto& call : changed->calls) {
        answer(*call, test::legacy_result(R"({"content":[]})"));
    }
    EXPECT_TRUE(has(port->answer(), R"("content":[])")) << port->answer();
    EXPECT_TRUE(has(unlisted->answer(), R"("content":[])")) << unlisted->answer();
    connect();
    EXPECT_FALSE(has(handshake, "Still starting")) << handshake;
    changed->calls.clear();  // calls hold their callers, which hold the server
}

TEST_F(StartingServersTest, ACallWaitsForTheStartAfterAPause) {
    const auto slow = add_slow("slow", 20s);
    begin_for(2s);
    const auto session = connect();
    const auto downstream = gateway().servers()->front().downstream;
    on_loop([&] { EXPECT_TRUE(downstream->pause()); });
    const auto refused = request(session, "tools/call", R"({"name":"t"})");
    EXPECT_TRUE(has(refused->answer(), "was paused by an operator")) << refused->answer();
    on_loop([&] { EXPECT_TRUE(downstream->resume()); });

    const auto port = request(session, "tools/call", R"({"name":"t"})", "2");
    loop.run_for(17s);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(2s);
    ASSERT_EQ(slow->calls.size(), 1U);
    answer(slow->last(), test::legacy_result(R"({"content":[]})"));

    EXPECT_TRUE(has(port->answer(), R"("content":[])")) << port->answer();
}

TEST_F(StartingServersTest, AToolThatNoStartingServerCanHaveIsUnknownAtOnce) {
    add_slow("slow", 20s);
    add_server("quick", Era::legacy);
    begin_for(2s);

    const auto port = request(connect(), "tools/call", R"({"name":"quick__x"})");

    EXPECT_TRUE(has(port->answer(), "TOOL_NOT_FOUND")) << port->answer();
    EXPECT_TRUE(has(port->answer(), "Still starting: slow.")) << port->answer();
}

TEST_F(StartingServersTest, TheSearchToolsAreListedFromTheFirstSecondIfTheyAreLikelyToBeNeeded) {
    for (const std::string name : {"a", "b", "c", "d"}) {
        add_slow(name, 20s);
    }
    add_server("quick", Era::legacy);
    begin_for(2s);
    const auto session = connect();

    EXPECT_TRUE(has(listed(session), R"("name":"find_tools")")) << listed(session);
    EXPECT_TRUE(has(handshake, "This endpoint combines 5 MCP servers.")) << handshake;
    EXPECT_TRUE(has(handshake, "Still starting: a, b, c, d.")) << handshake;

    loop.run_for(20s);  // They list 2 tools each, so agents see all of them.

    EXPECT_FALSE(has(listed(session), "find_tools")) << listed(session);
    EXPECT_TRUE(has(listed(session), R"("name":"a__t")"));
    connect();
    EXPECT_FALSE(has(handshake, "Still starting")) << handshake;
}

TEST_F(StartingServersTest, ServersThatCannotStartMakeTheSearchNoMoreLikely) {
    for (const std::string name : {"a", "b", "c", "d"}) {
        add_slow(name, 20s)->is_down = true;
    }
    begin_for(2s);
    const auto session = connect();
    EXPECT_TRUE(has(listed(session), "find_tools"));

    loop.run_for(20s);

    EXPECT_FALSE(has(listed(session), "find_tools")) << listed(session);
}

TEST_F(StartingServersTest, FewServersListTheirToolsAsUsual) {
    for (const std::string name : {"a", "b", "c"}) {
        add_slow(name, 20s);
    }
    begin_for(2s);

    EXPECT_FALSE(has(listed(connect()), "find_tools"));
}

/// Remembers which servers kept a list waiting.
class FakeCache final : public ListingCache {
public:
    std::vector<downstream::Listing> listings(const std::string& /*server*/) override { return {}; }
    void keep(const std::string& /*server*/, const downstream::Listing& /*listing*/) override {}
    void keep_era(const std::string& /*server*/, mcp::Era /*era*/) override {}
    bool was_awaited(const std::string& server) override { return awaited.contains(server); }
    void keep_awaited(const std::string& server) override { awaited.insert(server); }

    std::set<std::string> awaited;
};

class AwaitedServersTest : public StartingServersTest {
protected:
    AwaitedServersTest() {
        listing_cache = cache;
        add_slow("stuck", 10min);
        add_slow("late", 1s);
    }

    const std::shared_ptr<FakeCache> cache = std::make_shared<FakeCache>();
};

TEST_F(AwaitedServersTest, AServerThatListsNothingKeepsAListWaitingOnce) {
    begin_for(0s);
    const auto port = request(connect(), "tools/list", "");
    loop.run_for(1'500ms - 1ns);
    EXPECT_EQ(port->ends(), 0U);

    loop.run_for(1ns);

    EXPECT_EQ(port->ends(), 1U);
    EXPECT_EQ(cache->awaited, std::set<std::string>{"stuck"});
}

TEST_F(AwaitedServersTest, AtTheNextStartTheListWaitsOnlyForTheOthers) {
    cache->awaited = {"stuck"};
    begin_for(0s);

    const auto port = request(connect(), "tools/list", "");
    loop.run_for(1s - 1ns);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(200ms);

    EXPECT_EQ(port->ends(), 1U);
    EXPECT_TRUE(has(port->answer(), R"("name":"late__t")")) << port->answer();
}

TEST_F(AwaitedServersTest, TheWaitCanBeTurnedOff) {
    options.settle_for = 0s;
    begin_for(0s);

    EXPECT_EQ(request(connect(), "tools/list", "")->ends(), 1U);
}

}  // namespace
}  // namespace holdfast::dispatch
