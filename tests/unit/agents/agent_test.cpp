#include "agents/agent.hpp"

#include <gtest/gtest.h>

namespace holdfast::agents {
namespace {

TEST(AbilitiesTest, HasNoneWithoutDeclarations) {
    for (const std::string_view text : {"{}", "", "null", "[]", "{", R"({"elicitation":true})"}) {
        const Abilities abilities = abilities_of(text);

        EXPECT_FALSE(abilities.forms || abilities.urls || abilities.sampling ||
                     abilities.sampling_tools || abilities.roots)
            << text;
    }
}

TEST(AbilitiesTest, TreatsElicitationWithoutModesAsForms) {
    const Abilities abilities = abilities_of(R"({"elicitation":{}})");

    EXPECT_TRUE(abilities.forms);
    EXPECT_FALSE(abilities.urls);
}

TEST(AbilitiesTest, DistinguishesTheModesOfElicitation) {
    const Abilities url = abilities_of(R"({"elicitation":{"url":{}}})");
    const Abilities both = abilities_of(R"({"elicitation":{"url":{},"form":{}}})");

    EXPECT_TRUE(url.urls);
    EXPECT_FALSE(url.forms);
    EXPECT_TRUE(both.urls);
    EXPECT_TRUE(both.forms);
}

TEST(AbilitiesTest, ReadsSamplingAndRoots) {
    const Abilities abilities = abilities_of(R"({"sampling":{"tools":{}},"roots":{}})");

    EXPECT_TRUE(abilities.sampling);
    EXPECT_TRUE(abilities.sampling_tools);
    EXPECT_TRUE(abilities.roots);
    EXPECT_FALSE(abilities_of(R"({"sampling":{}})").sampling_tools);
}

TEST(AbilitiesTest, AllowsOnlyWhatWasDeclared) {
    const Abilities forms = abilities_of(R"({"elicitation":{}})");
    const Abilities urls = abilities_of(R"({"elicitation":{"url":{}}})");

    EXPECT_TRUE(forms.allow("elicitation/create", R"({"message":"x"})"));
    EXPECT_TRUE(forms.allow("elicitation/create", R"({"mode":"form"})"));
    EXPECT_FALSE(forms.allow("elicitation/create", R"({"mode":"url"})"));
    EXPECT_TRUE(urls.allow("elicitation/create", R"({"mode":"url"})"));
    EXPECT_FALSE(urls.allow("elicitation/create", R"({"mode":"form"})"));
    EXPECT_FALSE(forms.allow("sampling/createMessage", "{}"));
    EXPECT_FALSE(forms.allow("roots/list", ""));
    EXPECT_TRUE(abilities_of(R"({"sampling":{}})").allow("sampling/createMessage", "{}"));
    EXPECT_TRUE(abilities_of(R"({"roots":{}})").allow("roots/list", ""));
}

TEST(AbilitiesTest, AllowsNoOtherMethods) {
    const Abilities all =
        abilities_of(R"({"elicitation":{"url":{},"form":{}},"sampling":{},"roots":{}})");

    EXPECT_FALSE(all.allow("tools/call", "{}"));
    EXPECT_FALSE(all.allow("", "{}"));
}

TEST(AgentTest, HasTheEraOfItsRevision) {
    EXPECT_EQ(Agent{}.era(), mcp::Era::legacy);
    EXPECT_EQ(Agent{.revision = mcp::kNewestModern}.era(), mcp::Era::modern);
}

}  // namespace
}  // namespace holdfast::agents
