#include "cli/commands/eval_files.hpp"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(EvalFilesTest, ReadsToolsOneALine) {
    const auto tools =
        eval_tools(R"({"id":"s::a","name":"a","description":"d","parameters":"p: q","server":"s"})"
                   "\n\n"
                   R"({"name":"b","parameters":{"properties":{"x":{"description":"y"},"z":{}}}})");

    ASSERT_TRUE(tools.has_value());
    ASSERT_EQ(tools->size(), 2U);
    const search::ToolDocument first{.id = "s::a",
                                     .name = "a",
                                     .server = "s",
                                     .description = "d",
                                     .parameters = {{.description = "p: q"}}};
    EXPECT_EQ(tools->at(0), first);
    EXPECT_EQ(tools->at(1).id, "b");
    const std::vector<search::ToolParameter> parameters = {{.name = "x", .description = "y"},
                                                           {.name = "z"}};
    EXPECT_EQ(tools->at(1).parameters, parameters);
}

TEST(EvalFilesTest, ReadsNeedsFromGroupsOrElseFromTheRelevantTools) {
    const auto queries = eval_queries(R"({"query":"q","relevant":["a","b"],"groups":[["a","b"]]})"
                                      "\n"
                                      R"({"query":"r","relevant":["a","b"]})");

    ASSERT_TRUE(queries.has_value());
    EXPECT_EQ(queries->at(0).text, "q");
    EXPECT_EQ(queries->at(0).needs.size(), 1U);
    EXPECT_EQ(queries->at(1).needs.size(), 2U);
}

TEST(EvalFilesTest, NamesTheLineThatIsWrong) {
    const auto tools = eval_tools("{\"name\":\"a\"}\n[1]\n");

    ASSERT_FALSE(tools.has_value());
    EXPECT_EQ(tools.error().message, "line 2 is not a JSON object");
}

}  // namespace
}  // namespace holdfast::cli
