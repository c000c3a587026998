#include <gtest/gtest.h>

#include "fixture_peer.hpp"

namespace holdfast::fixture {
namespace {

std::size_t tool_count(std::string_view message) {
    return part(message, {"result", "tools"}).as_array().size();
}

std::string list(FixturePeer& peer, std::string_view cursor) {
    return peer
        .send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" +
              (cursor.empty() ? "" : R"("cursor":")" + std::string{cursor} + "\"") + "}}")
        ->messages.at(0);
}

TEST(FixtureToolsTest, KeepsTheBytesOfArguments) {
    FixturePeer peer;
    constexpr std::string_view kArguments = R"({ "a":1.0e+2,"b":1E400, "c":-0,"\u0061":"\/"})";

    const auto answer = peer.call("echo_arguments", R"(,"arguments":)" + std::string{kArguments});

    EXPECT_EQ(text_of(answer->messages.at(0)), kArguments);
}

TEST(FixtureToolsTest, WritesOddResultsUnchangedInBothEras) {
    constexpr std::string_view kOdd = R"({"numbers":[1.0e+2,1E400,-0,0.1000,)"
                                      R"(12345678901234567890123],"a":1,"\u0061":2,)"
                                      R"("path":"c:\/d"}, "x-unknown" : { "keep" : [ ] } ,)";
    FixturePeer peer;

    const auto legacy = peer.call("raw_result");
    const auto modern = peer.modern_call("raw_result", "{}");

    EXPECT_NE(legacy->messages.at(0).find(kOdd), std::string::npos);
    EXPECT_NE(modern->messages.at(0).find(kOdd), std::string::npos);
}

TEST(FixtureToolsTest, RepeatsTheIdAsWritten) {
    FixturePeer peer;

    const auto answer = peer.send(
        R"({"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"bench_echo"}})");

    EXPECT_EQ(answer->messages.at(0), R"({"jsonrpc":"2.0","id":12345678901234567890,"result":)" +
                                          std::string{FixtureServer::kBenchResult} + "}");
}

TEST(FixtureToolsTest, ReturnsTheGivenAmountOfText) {
    FixturePeer peer;

    const auto answer = peer.call("big", R"(,"arguments":{"bytes":100001})");

    EXPECT_EQ(text_of(answer->messages.at(0)).size(), 100'001U);
}

TEST(FixtureToolsTest, CountsForEachSession) {
    FixturePeer peer;

    EXPECT_EQ(text_of(peer.call("counter")->messages.at(0)), "1");
    EXPECT_EQ(text_of(peer.call("counter")->messages.at(0)), "2");
    peer.session = std::make_shared<Session>();
    EXPECT_EQ(text_of(peer.call("counter")->messages.at(0)), "1");
}

TEST(FixtureToolsTest, RejectsUnknownToolsAndInvalidArguments) {
    FixturePeer peer;

    EXPECT_EQ(part(peer.call("nothing")->messages.at(0), {"error", "code"}), -32602);
    EXPECT_EQ(part(peer.call("echo", R"(,"arguments":[])")->messages.at(0), {"error", "code"}),
              -32602);
    EXPECT_EQ(part(peer.call("echo")->messages.at(0), {"result", "isError"}), true);
}

TEST(FixtureToolsTest, ListsManyToolsInPages) {
    FixturePeer bare;
    FixturePeer peer{{.generated_tools = 250}};
    const std::size_t own_count = tool_count(list(bare, {}));
    std::size_t count = 0;
    std::size_t pages = 0;
    std::string cursor;

    do {
        const std::string page = list(peer, cursor);
        count += tool_count(page);
        ++pages;
        const boost::json::value next = part(page, {"result", "nextCursor"});
        cursor = next.is_string() ? next.get_string() : "";
    } while (!cursor.empty() && pages < 10);

    EXPECT_EQ(count, own_count + 250);
    EXPECT_EQ(pages, (own_count + 250 + 99) / 100);
    EXPECT_EQ(text_of(peer.call("tool_00250")->messages.at(0)), "This is tool_00250.");
}

TEST(FixtureToolsTest, RejectsUnknownCursors) {
    FixturePeer peer{{.generated_tools = 250}};

    for (const std::string_view cursor : {"x", "after-", "after-x", "after-100000"}) {
        EXPECT_EQ(part(list(peer, cursor), {"error", "code"}), -32602) << cursor;
    }
}

TEST(FixtureToolsTest, FindsTheOthersAfterOneWasRemoved) {
    FixturePeer peer;

    peer.call("remove_tool", R"(,"arguments":{"name":"raw_result"})");

    EXPECT_EQ(part(peer.call("raw_result")->messages.at(0), {"error", "code"}), -32602);
    EXPECT_EQ(text_of(peer.call("counter")->messages.at(0)), "1");
}

TEST(FixtureToolsTest, DescribesEveryToolButOneOnRequest) {
    FixturePeer peer{{.has_undescribed_tool = true}};

    const boost::json::value tools = part(list(peer, {}), {"result", "tools"});

    for (const boost::json::value& tool : tools.as_array()) {
        const bool is_bare = tool.at("name") == "no_description";
        EXPECT_EQ(tool.as_object().contains("description"), !is_bare) << tool.at("name");
        EXPECT_EQ(tool.at("inputSchema").at("type"), "object");
    }
}

TEST(FixtureToolsTest, DelaysListsOnRequest) {
    FixturePeer peer{{.list_delay = std::chrono::hours{1}}};

    const auto answer = peer.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");

    EXPECT_TRUE(answer->messages.empty());
}

}  // namespace
}  // namespace holdfast::fixture
