// The preset `ucp`: how agents find tools when a step of the search fails, and what is stored.

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;

std::string described_tool(const std::string& name, const std::string& description) {
    return R"({"name":")" + name + R"(","description":")" + description +
           R"(","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})";
}

/// Twenty tools about stamps and one about the weather.
std::vector<std::string> tools() {
    std::vector<std::string> all{described_tool("forecast", "Weather of a city")};
    for (int number = 10; number < 30; ++number) {
        all.push_back(described_tool("stamp_" + std::to_string(number), "Describes a stamp"));
    }
    return all;
}

constexpr const char* kWholeStatus = R"({"details":true})";

class UcpRouter : public testing::TestWithParam<AgentLeg> {
protected:
    void start(const std::string& surface, const std::string& awaited = "find_tools") {
        scene_.scene().add_server("store", server_.stdio_entry());
        scene_.scene().add_section(R"("preset":"ucp","surface":)" + surface);
        scene_.start(GetParam(), kRate, awaited);
    }
    std::string find(const std::string& query) {
        return scene_.answer("find_tools", R"({"query":")" + query + R"("})");
    }
    /// Queries until the index has been built in the background.
    void await_index() {
        EXPECT_TRUE(eventually(
            [this] { return has(find("weather"), R"("structuredContent":{"step":"keyword")"); },
            60s));
    }
    static std::size_t count_of(std::string_view text, std::string_view part) {
        std::size_t count = 0;
        for (std::size_t at = text.find(part); at != std::string_view::npos;
             at = text.find(part, at + part.size())) {
            ++count;
        }
        return count;
    }
    /// Ends the gateway, and returns the rows of a table of its telemetry.
    std::string stored(const std::string& table) {
        EXPECT_EQ(scene_.scene().gateway().stop(), 0);
        return rows_of(table);
    }
    std::string rows_of(const std::string& table) {
        const char* binary = std::getenv("HOLDFAST_BINARY");
        return run_process({binary == nullptr ? "" : binary, "telemetry", "--file",
                            scene_.scene().folder() / "holdfast/telemetry.db", "--export", "jsonl",
                            "--table", table})
            .out;
    }

    TroubledServer server_{tools()};
    Acceptance scene_;
};

TEST_P(UcpRouter, AFailedSemanticSearchFallsBackToKeywords) {
    start(R"({"mode":"search"})");  // no model is installed
    await_index();

    const std::string found = find("weather");

    EXPECT_TRUE(has(found, R"("tools":[{"name":"forecast")")) << found;
    EXPECT_TRUE(has(found, R"("why":[{"step":"hybrid","reason":)")) << found;
    EXPECT_TRUE(has(found, R"("server":"store","step":"keyword","healthy":true)")) << found;
    const std::string rows = stored("events");
    EXPECT_TRUE(has(rows, R"("fallback")") && has(rows, "hybrid")) << rows;
    EXPECT_TRUE(has(rows, R"("router")")) << rows;
}

TEST_P(UcpRouter, AnEmptyQueryGetsTheConfiguredFallbackTools) {
    start(R"({"mode":"search","fallback":["store.stamp_29","stamp_12"]})");
    await_index();  // before that the tools may be unknown

    const std::string found = find(" ");

    EXPECT_TRUE(has(found, R"("structuredContent":{"step":"fallback_tools")")) << found;
    EXPECT_TRUE(has(found, R"("tools":[{"name":"stamp_29")")) << found;
    EXPECT_TRUE(has(found, R"({"name":"stamp_12")")) << found;
    EXPECT_EQ(count_of(found, R"("server":"store")"), 2U) << found;
    EXPECT_TRUE(has(found, R"({"step":"keyword","reason":"the query is empty"})")) << found;
}

TEST_P(UcpRouter, AQueryThatNothingMatchesGetsTheFirstTenToolsOfTheCatalogue) {
    start(R"({"mode":"search"})");
    await_index();

    const std::string found = find("qqqq zzzz");

    EXPECT_TRUE(has(found, R"("structuredContent":{"step":"all_tools")")) << found;
    EXPECT_EQ(count_of(found, R"("step":"all_tools","healthy":true)"), 10U) << found;
    EXPECT_TRUE(has(found, "no fallback tools are configured")) << found;
    EXPECT_TRUE(has(found, "(from the catalogue, not a match)")) << found;
}

TEST_P(UcpRouter, AnIndexWithoutToolsStillGivesAnAnswer) {
    scene_.scene().add_section(R"("preset":"ucp","surface":{"mode":"search"})");
    scene_.start(GetParam(), kRate, "find_tools");

    const std::string found = find("weather");

    EXPECT_TRUE(has(found, R"("structuredContent":{"step":"none")")) << found;
    EXPECT_TRUE(has(found, "No tool matches (")) << found;
    EXPECT_TRUE(has(found, "index")) << found;
    EXPECT_FALSE(has(found, R"("isError":true)")) << found;
}

TEST_P(UcpRouter, AMatchIsKeptAndFilledUpToTheMinimum) {
    start(R"({"mode":"search","minTools":4,"fallback":["stamp_20","stamp_21"]})");
    await_index();

    const std::string found = find("weather");

    EXPECT_TRUE(has(found, R"("structuredContent":{"step":"keyword")")) << found;
    EXPECT_TRUE(has(found, R"("tools":[{"name":"forecast")")) << found;
    EXPECT_EQ(count_of(found, R"("server":"store","step":"keyword")"), 1U) << found;
    EXPECT_EQ(count_of(found, R"("server":"store","step":"fallback_tools")"), 2U) << found;
    EXPECT_EQ(count_of(found, R"("server":"store","step":"all_tools")"), 1U) << found;
    EXPECT_TRUE(has(found, "found 1 tool; the minimum is 4")) << found;
}

TEST_P(UcpRouter, AnAnswerHasAtMostTenTools) {
    start(R"({"mode":"search"})");
    await_index();

    EXPECT_EQ(count_of(find("stamp"), R"("server":"store","step":"keyword")"), 10U);
}

TEST_P(UcpRouter, ARoutedListBeforeTheFirstQueryIsTheAnswerToAnEmptyOne) {
    start(R"({"mode":"routed","fallback":["stamp_29"]})", "stamp_29");

    const std::string list = scene_.agent().request({.method = "tools/list"});

    EXPECT_TRUE(has(list, R"("name":"stamp_29")")) << list;
    EXPECT_FALSE(has(list, R"("name":"stamp_28")")) << list;
    EXPECT_TRUE(has(list, R"("name":"find_tools")")) << list;
}

TEST_P(UcpRouter, AnUnknownToolIsAnsweredWithTheTenNearestNamesAndStored) {
    start(R"({"mode":"all"})", "forecast");

    const std::string refused = scene_.answer("stamp_1");

    EXPECT_TRUE(has(refused, "-32602")) << refused;
    EXPECT_TRUE(has(refused, "Available tools, nearest names first: stamp_1")) << refused;
    const std::string message = plain_text(member_text(refused, "message"));
    EXPECT_EQ(count_of(message, "stamp_"), 11U) << "the unknown name and ten others: " << message;
    EXPECT_FALSE(has(message, "forecast")) << message;
    const std::string rows = stored("calls");
    EXPECT_TRUE(has(rows, "TOOL_NOT_FOUND")) << rows;
}

TEST_P(UcpRouter, TimeoutsErrorsLostConnectionsAndCircuitChangesAreStored) {
    scene_.scene().add_section(R"("policies":{"default":{"timeout":"5s","attemptTimeout":"5s",)"
                               R"("retry":"none","circuit":{"failures":2}}})");
    start(R"({"mode":"all"})", "forecast");
    server_.does({"rpc -32000 it is broken", "hang", "die"});
    std::ignore = scene_.answer("forecast");
    EXPECT_EQ(scene_.code("stamp_10"), "TIMEOUT");
    EXPECT_EQ(scene_.code("stamp_11"), "CONNECTION_LOST");
    EXPECT_EQ(scene_.code("stamp_12"), "CIRCUIT_OPEN");
    EXPECT_EQ(scene_.scene().gateway().stop(), 0);

    const std::string calls = rows_of("calls");
    const std::string events = rows_of("events");

    for (const std::string_view code :
         {"DOWNSTREAM_ERROR", "TIMEOUT", "CONNECTION_LOST", "CIRCUIT_OPEN"}) {
        EXPECT_TRUE(has(calls, code)) << code << '\n' << calls;
    }
    EXPECT_TRUE(has(events, R"("connection")") && has(events, R"("waiting")")) << events;
    EXPECT_TRUE(has(events, R"("circuit")") && has(events, R"("opened")")) << events;
}

TEST_P(UcpRouter, TheStatusHasEveryMemberInItsType) {
    scene_.scene().add_section(R"("admin":{"http":"127.0.0.1:0"})");
    start(R"({"mode":"search"})");
    await_index();
    EXPECT_TRUE(eventually(
        [this] { return has(scene_.answer("gateway_status", kWholeStatus), R"("indexed":true)"); },
        60s));
    std::ignore = scene_.answer("forecast");

    const std::string status = scene_.answer("gateway_status", kWholeStatus);

    EXPECT_TRUE(has(status, R"("structuredContent":{"server":{"name":"holdfast","version":")"))
        << status;
    EXPECT_TRUE(has(status, R"("downstream_servers":{"store":{"status":"connected",)")) << status;
    EXPECT_TRUE(has(status, R"("tool_count":21,)")) << status;
    EXPECT_TRUE(has(status, R"("circuit_breaker":{"state":"closed","failure_count":0,)"
                            R"("can_attempt":true,)"))
        << status;
    EXPECT_TRUE(has(status, R"("tool_zoo":{"total_tools":21,"indexed":true,"indexed_tools":21,)"))
        << status;
    EXPECT_TRUE(has(status, R"("router":{"predictions":)")) << status;
    EXPECT_TRUE(has(status, R"("avg_precision":1)") && has(status, R"("avg_recall":1)"))
        << "forecast was the only tool found, and it was called: " << status;
}

INSTANTIATE_TEST_SUITE_P(BothTransports, UcpRouter, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
