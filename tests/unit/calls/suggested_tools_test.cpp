// Failures that name similar tools of other servers.
#include "calls/suggested_tools.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/gateway/answers.hpp"
#include "support/gateway/fake_finder.hpp"
#include "support/gateway/gateway_world.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using namespace std::chrono_literals;

constexpr std::string_view kReadPage =
    R"({"tools":[{"name":"read_page","description":"Read a page of the documentation",)"
    R"("inputSchema":{"type":"object"}}]})";
constexpr std::string_view kForecast =
    R"({"tools":[{"name":"forecast","description":"Weather forecast of a city",)"
    R"("inputSchema":{"type":"object"}}]})";

class SuggestedToolsTest : public test::GatewayWorld {
protected:
    SuggestedToolsTest() {
        options.finder = finder;
        policy = R"({"retry": "none", "suggestAlternatives": true, "detail": "selfCorrect",)"
                 R"( "circuit": {"failures": 1, "open": "60s"}})";
    }
    void begin_with_three_servers() {
        primary = add_server("primary", Era::legacy);
        spare = add_server("spare", Era::legacy);
        weather = add_server("weather", Era::legacy);
        primary->lists["tools/list"] = kReadPage;
        spare->lists["tools/list"] = kReadPage;
        weather->lists["tools/list"] = kForecast;
        begin();
    }
    test::Port call(const std::string& tool) {
        return request(Modern{}, "tools/call", R"("name":")" + tool + R"(","arguments":{})");
    }
    /// The answer to a call whose server loses the connection.
    std::string lost(const std::string& tool, const std::shared_ptr<test::FakeServer>& server) {
        const auto port = call(tool);
        answer(server->last(),
               CallFault{.kind = CallFault::Kind::connection_lost, .message = "It is gone"});
        return port->answer();
    }
    static bool names(const std::string& text, std::string_view tool) {
        return text.find("which are available now: " + std::string{tool}) != std::string::npos;
    }

    const std::shared_ptr<test::FakeFinder> finder = std::make_shared<test::FakeFinder>();
    std::shared_ptr<test::FakeServer> primary;
    std::shared_ptr<test::FakeServer> spare;
    std::shared_ptr<test::FakeServer> weather;
};

TEST_F(SuggestedToolsTest, ALostConnectionNamesTheSameToolOfAnotherServer) {
    begin_with_three_servers();

    const std::string text = lost("primary__read_page", primary);

    EXPECT_TRUE(names(text, "spare__read_page")) << text;
    EXPECT_NE(text.find(R"("alternatives":["spare__read_page"])"), std::string::npos) << text;
    EXPECT_EQ(spare->calls.size(), 0U) << "a suggested tool is never called by the gateway";
}

TEST_F(SuggestedToolsTest, AnOpenCircuitNamesTheToolToo) {
    begin_with_three_servers();
    std::ignore = lost("primary__read_page", primary);

    const auto refused = call("primary__read_page");

    EXPECT_NE(refused->answer().find("CIRCUIT_OPEN"), std::string::npos) << refused->answer();
    EXPECT_TRUE(names(refused->answer(), "spare__read_page")) << refused->answer();
}

TEST_F(SuggestedToolsTest, AToolWhoseCircuitIsOpenIsNotNamed) {
    begin_with_three_servers();
    std::ignore = lost("spare__read_page", spare);

    const std::string text = lost("primary__read_page", primary);

    EXPECT_EQ(text.find("spare__read_page"), std::string::npos) << text;
    EXPECT_NE(text.find("A different tool if this one is unavailable"), std::string::npos);
}

TEST_F(SuggestedToolsTest, UnrelatedServersAreNotNamed) {
    begin_with_three_servers();

    const std::string text = lost("weather__forecast", weather);

    EXPECT_EQ(text.find("read_page"), std::string::npos) << text;
}

TEST_F(SuggestedToolsTest, OtherFailuresNameNoTool) {
    begin_with_three_servers();

    const auto port = call("primary__read_page");
    answer(primary->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "Junk"});

    EXPECT_EQ(port->answer().find("spare__read_page"), std::string::npos) << port->answer();
    EXPECT_TRUE(finder->similar_queries.empty());
}

TEST_F(SuggestedToolsTest, NamesToolsOnlyIfThePolicyAsksForThem) {
    policy = R"({"retry": "none", "detail": "selfCorrect"})";
    begin_with_three_servers();

    const std::string text = lost("primary__read_page", primary);

    EXPECT_EQ(text.find("spare__read_page"), std::string::npos) << text;
    EXPECT_TRUE(finder->similar_queries.empty());
}

TEST_F(SuggestedToolsTest, AToolIsLookedUpOnceUntilTheCatalogueChanges) {
    policy = R"({"retry": "none", "suggestAlternatives": true, "circuit": "none"})";
    begin_with_three_servers();
    std::ignore = lost("primary__read_page", primary);
    std::ignore = lost("primary__read_page", primary);
    ASSERT_EQ(finder->similar_queries.size(), 1U);

    spare->lists["tools/list"] = kForecast;
    on_loop([&] {
        spare->listener.lock()->on_notification({.method = "notifications/tools/list_changed"});
    });
    loop.run_for(10min);  // Withdrawals are delayed.
    const std::string text = lost("primary__read_page", primary);

    EXPECT_EQ(finder->similar_queries.size(), 2U);
    EXPECT_EQ(text.find("spare__"), std::string::npos) << text;
}

TEST_F(SuggestedToolsTest, CallsThatFailTogetherShareOneSearch) {
    policy = R"({"retry": "none", "suggestAlternatives": true, "circuit": "none"})";
    finder->is_silent = true;
    begin_with_three_servers();
    const auto one = call("primary__read_page");
    const auto other = call("primary__read_page");
    const CallFault gone{.kind = CallFault::Kind::connection_lost, .message = "It is gone"};
    on_loop([&] {
        primary->calls[0]->answer(gone);
        primary->calls[1]->answer(gone);
    });
    EXPECT_EQ(finder->similar_queries.size(), 1U);

    loop.run_for(50ms);

    EXPECT_NE(one->answer().find("CONNECTION_LOST"), std::string::npos);
    EXPECT_NE(other->answer().find("CONNECTION_LOST"), std::string::npos);
}

TEST_F(SuggestedToolsTest, ASearchThatTakesTooLongIsNotWaitedFor) {
    finder->is_silent = true;
    begin_with_three_servers();

    const auto port = call("primary__read_page");
    answer(primary->last(),
           CallFault{.kind = CallFault::Kind::connection_lost, .message = "It is gone"});
    EXPECT_TRUE(port->answers.empty());
    loop.run_for(49ms);
    EXPECT_TRUE(port->answers.empty());
    loop.run_for(1ms);

    EXPECT_NE(port->answer().find("CONNECTION_LOST"), std::string::npos) << port->answer();
}

TEST_F(SuggestedToolsTest, ACallThatIsCancelledMeanwhileEnds) {
    finder->is_silent = true;
    begin_with_three_servers();
    const auto port = call("primary__read_page");
    answer(primary->last(),
           CallFault{.kind = CallFault::Kind::connection_lost, .message = "It is gone"});

    ASSERT_EQ(gateway().calls()->in_flight->load(), 1U);

    on_loop([&] { port->gone(); });

    EXPECT_EQ(gateway().calls()->in_flight->load(), 0U);
    EXPECT_EQ(port->ends(), 1U);
    loop.run_for(1s);
    EXPECT_EQ(port->ends(), 1U);
}

TEST_F(SuggestedToolsTest, AQuestionOfAServerThatIsGoneIsNotAsked) {
    finder->is_silent = true;
    begin_with_three_servers();
    const auto port = call("primary__read_page");

    on_loop([&] { primary->last().ask("roots/list", ""); });
    answer(primary->last(),
           CallFault{.kind = CallFault::Kind::connection_lost, .message = "It is gone"});
    loop.run_for(50ms);

    EXPECT_NE(port->answer().find("CONNECTION_LOST"), std::string::npos) << port->answer();
    EXPECT_EQ(parked(), 0U);
}

TEST_F(SuggestedToolsTest, MoreThanAThousandCallsAtOnceFailWithoutWaiting) {
    policy = R"({"retry": "none", "suggestAlternatives": true, "circuit": "none",)"
             R"( "limit": {"inFlight": 2000}})";
    finder->is_silent = true;
    begin_with_three_servers();
    std::vector<test::Port> ports;
    for (int count = 0; count < 1'010; ++count) {
        ports.push_back(call("primary__read_page"));
    }
    on_loop([&] {
        for (const auto& sent : primary->calls) {
            sent->answer(
                CallFault{.kind = CallFault::Kind::connection_lost, .message = "It is gone"});
        }
    });

    const auto answered = [&ports] {
        return std::ranges::count_if(ports, [](const auto& port) { return port->ends() == 1; });
    };
    EXPECT_EQ(answered(), 10);
    loop.run_for(50ms);
    EXPECT_EQ(answered(), 1'010);
}

}  // namespace
}  // namespace holdfast::calls
