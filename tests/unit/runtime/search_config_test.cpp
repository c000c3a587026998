#include "runtime/loading/search_config.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "config/read_config.hpp"
#include "policy/read_policy_table.hpp"

namespace holdfast::runtime {
namespace {

using surface::SurfaceMode;
using namespace std::chrono_literals;

config::Environment no_environment() {
    return [](std::string_view) { return std::optional<std::string>{}; };
}

SearchConfigOutcome outcome_of(const std::string& sections) {
    const auto read =
        config::read_config("c.json", R"({"mcpServers":{})" + sections + "}", no_environment());
    EXPECT_TRUE(read.config) << sections;
    const auto table = policy::read_policy_table(*read.config, no_environment());
    EXPECT_TRUE(table.table);
    return read_search_config(*read.config, *table.table);
}

std::string fault_in(const std::string& sections) {
    const auto outcome = outcome_of(sections);
    return outcome.faults.empty() ? "" : outcome.faults.front().message;
}

TEST(SearchConfigTest, HasDefaults) {
    const SearchConfig config = outcome_of("").config;

    EXPECT_EQ(config.surface.mode, SurfaceMode::automatic);
    EXPECT_EQ(config.surface.search_above, 60U);
    EXPECT_EQ(config.surface.ladder.max_tools, 5U);
    EXPECT_EQ(config.surface.ladder.min_tools, 0U);
    EXPECT_EQ(config.surface.ladder.candidate_factor, 2U);
    EXPECT_EQ(config.surface.suggested_names, 3U);
    EXPECT_EQ(config.deadline, 30ms);
    EXPECT_TRUE(std::holds_alternative<BuiltInModel>(config.embedder));
}

TEST(SearchConfigTest, ReadsBothSections) {
    const SearchConfig config =
        outcome_of(R"(,"surface":{"mode":"routed","searchAbove":5,"pinned":["a.*"],)"
                   R"("fallback":["b"],"maxTools":7,"minTools":2,"perServer":3,)"
                   R"("candidateFactor":4,"suggestedNames":6},)"
                   R"("search":{"embedder":"none","deadline":"5ms"})")
            .config;

    EXPECT_EQ(config.surface.mode, SurfaceMode::routed);
    EXPECT_EQ(config.surface.search_above, 5U);
    EXPECT_EQ(config.surface.pinned, std::vector<std::string>{"a.*"});
    EXPECT_EQ(config.surface.ladder.fallback_tools, std::vector<std::string>{"b"});
    EXPECT_EQ(config.surface.ladder.max_tools, 7U);
    EXPECT_EQ(config.surface.ladder.min_tools, 2U);
    EXPECT_EQ(config.surface.ladder.max_per_server, 3U);
    EXPECT_EQ(config.surface.ladder.candidate_factor, 4U);
    EXPECT_EQ(config.surface.suggested_names, 6U);
    EXPECT_EQ(config.deadline, 5ms);
    EXPECT_TRUE(std::holds_alternative<NoEmbedder>(config.embedder));
}

TEST(SearchConfigTest, TakesAServerAndKeepsItsKeySecret) {
    const auto outcome =
        outcome_of(R"(,"search":{"embedder":{"url":"http://127.0.0.1:1/v1","model":"m",)"
                   R"("key":"secret-key","dimensions":64,"timeout":"2s"}})");

    const auto& server = std::get<tool_search::HttpEmbedderOptions>(outcome.config.embedder);
    EXPECT_EQ(server.url, "http://127.0.0.1:1/v1");
    EXPECT_EQ(server.dimensions, 64U);
    EXPECT_EQ(server.timeout, 2s);
    EXPECT_EQ(outcome.config.deadline, 2s);
    EXPECT_EQ(outcome.secrets, std::vector<std::string>{"secret-key"});
    EXPECT_TRUE(outcome.faults.empty());
}

TEST(SearchConfigTest, RejectsUnknownKeysAndValues) {
    EXPECT_NE(fault_in(R"(,"surface":{"mode":"some"})").find("surface.mode"), std::string::npos);
    EXPECT_NE(fault_in(R"(,"surface":{"maxTool":3})").find("maxTools"), std::string::npos);
    EXPECT_NE(fault_in(R"(,"surface":7)").find("must be an object"), std::string::npos);
    EXPECT_NE(fault_in(R"(,"search":{"embedder":"x"})").find("builtin"), std::string::npos);
    EXPECT_NE(fault_in(R"(,"search":{"embedder":{"url":"x","model":"m"}})").find("url"),
              std::string::npos);
    EXPECT_NE(fault_in(R"(,"search":{"embedder":{"url":"http://a/"}})").find("model"),
              std::string::npos);
    const std::string secret =
        fault_in(R"(,"search":{"embedder":{"url":"http://a/","model":"m","key":"se\ncret"}})");
    EXPECT_NE(secret.find("contains a control character"), std::string::npos);
    EXPECT_EQ(secret.find("cret\""), std::string::npos);
}

TEST(SearchConfigTest, RefusesAMinimumAboveTheMaximum) {
    EXPECT_NE(
        fault_in(R"(,"surface":{"minTools":6})")
            .find("surface.minTools: \"minTools\" is 6 and must not be greater than \"maxTools\", "
                  "which is 5"),
        std::string::npos)
        << fault_in(R"(,"surface":{"minTools":6})");
    EXPECT_EQ(fault_in(R"(,"surface":{"minTools":6,"maxTools":6})"), "");
    EXPECT_EQ(fault_in(R"(,"preset":"ucp","surface":{"minTools":6})"), "");
}

TEST(SearchConfigTest, TheFileOverridesThePresetOfTheGateway) {
    const auto surface = [](const std::string& section) {
        return outcome_of(R"(,"preset":"ucp")" + section).config.surface;
    };

    EXPECT_EQ(surface("").ladder.max_tools, 10U);
    EXPECT_EQ(surface("").ladder.min_tools, 1U);
    EXPECT_EQ(surface("").suggested_names, 10U);
    EXPECT_EQ(surface(R"(,"surface":{"maxTools":4})").ladder.max_tools, 4U);
    EXPECT_EQ(surface(R"(,"surface":{"maxTools":4})").ladder.min_tools, 1U);
    EXPECT_EQ(surface(R"(,"surface":{"suggestedNames":2})").suggested_names, 2U);
}

TEST(SearchConfigTest, ReadsTheAnswerOfAServer) {
    const auto embedded = tool_search::embeddings_in(
        R"({"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3.0,0]}]})", 2);

    ASSERT_TRUE(embedded);
    EXPECT_GT(embedded->at(0).steps()[0], 32'000);
    EXPECT_GT(embedded->at(1).steps()[1], 32'000);
    for (const std::string_view bad :
         {"", "[]", R"({"data":[]})", R"({"data":[{"embedding":[1]}]})",
          R"({"data":[{"embedding":[1,2]},{"embedding":[1]}]})",
          R"({"data":[{"embedding":[1,"x"]},{"embedding":[1,2]}]})",
          R"({"data":[{"embedding":[]},{"embedding":[]}]})",
          R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})"}) {
        EXPECT_FALSE(tool_search::embeddings_in(bad, 2)) << bad;
    }
}

}  // namespace
}  // namespace holdfast::runtime
