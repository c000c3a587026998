#include "surface/rendered_item.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::surface {
namespace {

RenderedItem tool(std::string_view definition) {
    return rendered_tool(
        {.server = "box", .name = "t", .exposed_name = "box__t", .definition = definition});
}

TEST(RenderedItemTest, ChangesTheNameAndNothingElse) {
    const RenderedItem item =
        tool(R"({ "x" : [ 1.0 ], "name":"t","description":"d","inputSchema":{"a": 1e2},"y":null})");

    EXPECT_EQ(
        item.modern,
        R"({"x":[ 1.0 ],"name":"box__t","description":"d","inputSchema":{"a": 1e2},"y":null})");
    EXPECT_EQ(item.legacy, "");
    EXPECT_EQ(item.callable.own_name, "t");
    EXPECT_EQ(item.callable.exposed_name, "box__t");
}

TEST(RenderedItemTest, AddsAMissingDescription) {
    const std::string words = R"("description":"Tool t of box; its server gives no description.")";

    EXPECT_EQ(tool(R"({"name":"t"})").modern, R"({"name":"box__t",)" + words + "}");
    EXPECT_EQ(tool(R"({"name":"t","description":""})").modern,
              R"({"name":"box__t",)" + words + "}");
    EXPECT_EQ(tool(R"({"description":null,"name":"t"})").modern,
              "{" + words + R"(,"name":"box__t"})");
}

TEST(RenderedItemTest, KeepsACutNameInTheTitle) {
    const catalogue::Item item{.server = "box",
                               .name = "söme",
                               .exposed_name = "box__s_me_1a2b",
                               .definition = R"({"name":"söme","description":"d"})"};
    const catalogue::Item titled{.server = "box",
                                 .name = "söme",
                                 .exposed_name = "box__s_me_1a2b",
                                 .definition = R"({"name":"x","description":"d","title":"T"})"};

    EXPECT_EQ(rendered_tool(item).modern,
              R"({"name":"box__s_me_1a2b","description":"d","title":"söme"})");
    EXPECT_EQ(rendered_tool(titled).modern,
              R"({"name":"box__s_me_1a2b","description":"d","title":"T"})");
}

TEST(RenderedItemTest, HidesOutputSchemasOfNonObjectsFromLegacyAgents) {
    const std::string before = R"({"name":"box__t","description":"d")";
    const auto with_schema = [](const std::string& schema) {
        return tool(R"({"name":"t","description":"d","outputSchema":)" + schema + "}");
    };

    EXPECT_EQ(with_schema(R"({"type":"object"})").legacy, "");
    for (const std::string schema :
         {R"({"type":"array"})", R"({"type":["object"]})", "{}", "true", R"({"$ref":"#"})"}) {
        const RenderedItem item = with_schema(schema);

        EXPECT_EQ(item.modern, before + R"(,"outputSchema":)" + schema + "}");
        EXPECT_EQ(item.legacy, before + "}") << schema;
        EXPECT_TRUE(item.callable.has_output_schema);
    }
    EXPECT_FALSE(tool(R"({"name":"t"})").callable.has_output_schema);
}

TEST(RenderedItemTest, IsSafeOnlyIfTheServerSaysSo) {
    const auto is_safe = [](const std::string& annotations) {
        return tool(R"({"name":"t","annotations":)" + annotations + "}").callable.is_safe;
    };

    EXPECT_TRUE(is_safe(R"({"readOnlyHint":true})"));
    EXPECT_TRUE(is_safe(R"({"idempotentHint":true,"readOnlyHint":false})"));
    EXPECT_FALSE(is_safe(R"({"readOnlyHint":"true"})"));
    EXPECT_FALSE(is_safe(R"({"readOnlyHint":false})"));
    EXPECT_FALSE(is_safe("[]"));
    EXPECT_FALSE(tool(R"({"name":"t"})").callable.is_safe);
}

TEST(RenderedItemTest, IsDestructiveOnlyIfTheServerSaysSoExplicitly) {
    const auto is_destructive = [](const std::string& annotations) {
        return tool(R"({"name":"t","annotations":)" + annotations + "}").callable.is_destructive;
    };

    EXPECT_TRUE(is_destructive(R"({"destructiveHint":true})"));
    EXPECT_FALSE(is_destructive(R"({"destructiveHint":false})"));
    EXPECT_FALSE(is_destructive(R"({"readOnlyHint":false})"));
}

TEST(RenderedItemTest, RunsTasksItself) {
    const RenderedItem item =
        tool(R"({"name":"t","description":"d","execution":{"taskSupport":"required"}})");

    EXPECT_EQ(item.modern, R"({"name":"box__t","description":"d"})");
    EXPECT_TRUE(item.callable.needs_task);
    EXPECT_FALSE(
        tool(R"({"name":"t","execution":{"taskSupport":"optional"}})").callable.needs_task);
}

TEST(RenderedItemTest, FindsTheArgumentsThatHeadersRepeat) {
    const RenderedItem item = tool(R"({"name":"t","inputSchema":{"type":"object","properties":{)"
                                   R"("city":{"type":"string","x-mcp-header":"City"}}}})");

    ASSERT_EQ(item.callable.header_params.size(), 1U);
    EXPECT_EQ(item.callable.header_params[0].header, "Mcp-Param-City");
    EXPECT_TRUE(
        tool(R"({"name":"t","inputSchema":{"x-mcp-header":7}})").callable.header_params.empty());
}

TEST(RenderedItemTest, RendersPromptsLikewise) {
    const RenderedItem item = rendered_prompt(
        {.server = "box", .name = "p", .exposed_name = "box__p", .definition = R"({"name":"p"})"});

    EXPECT_EQ(item.modern, R"({"name":"box__p","description":"Prompt p of box; its server gives )"
                           R"(no description."})");
    EXPECT_TRUE(item.callable.is_safe);
}

}  // namespace
}  // namespace holdfast::surface
