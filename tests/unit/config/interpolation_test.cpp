#include "config/interpolation.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

struct Expansion {
    Node node;
    std::vector<std::string> faults;
    std::vector<std::string> secrets;
};

Expansion expanded(std::string text, Variables variables = {},
                   const InterpolationLimits& limits = {}) {
    FaultReport report{"a.json"};
    SecretList secrets;
    Interpolator interpolator{environment_of(std::move(variables)), report, secrets, limits};
    Expansion expansion;
    expansion.node.kind = NodeKind::text;
    expansion.node.text = std::move(text);
    interpolator.expand(expansion.node, "key");
    expansion.faults = texts_of(report.take_faults());
    expansion.secrets = secrets.values();
    return expansion;
}

TEST(InterpolationTest, FillsVariablesIn) {
    const Variables variables = {{"A", "one"}, {"_b2", "two"}, {"EMPTY", ""}};

    EXPECT_EQ(expanded("${A}", variables).node.text, "one");
    EXPECT_EQ(expanded("<${env:A}|${_b2}>", variables).node.text, "<one|two>");
    EXPECT_EQ(expanded("${A:-x}${NONE:-y z}${EMPTY:-w}", variables).node.text, "oney zw");
    EXPECT_EQ(expanded("${env:NONE:-http://h:1/}", variables).node.text, "http://h:1/");
    EXPECT_EQ(expanded("[${EMPTY}${NONE:-}]", variables).node.text, "[]");
}

TEST(InterpolationTest, ADefaultMayBeAReferenceThreeDeep) {
    const std::string text = "${A:-${B:-${C:-60s}}}";

    EXPECT_EQ(expanded(text).node.text, "60s");
    EXPECT_EQ(expanded(text, {{"C", "3"}}).node.text, "3");
    EXPECT_EQ(expanded(text, {{"C", "3"}, {"B", "2"}}).node.text, "2");
    EXPECT_EQ(expanded(text, {{"C", "3"}, {"B", "2"}, {"A", "1"}}).node.text, "1");
    EXPECT_EQ(expanded(text, {{"C", "3"}, {"B", ""}, {"A", " "}}).node.text, "3");
}

TEST(InterpolationTest, ADefaultMayHaveReferencesInsideOtherText) {
    EXPECT_EQ(expanded("<${A:-http://${H:-h}:${P:-1}/}>", {{"P", "81"}}).node.text,
              "<http://h:81/>");
    EXPECT_EQ(expanded("${A:-$${B}}").node.text, "${B}");
}

TEST(InterpolationTest, ADefaultThatIsNotNeededIsNotEvaluated) {
    const Expansion expansion = expanded("${A:-${NONE}}", {{"A", "x"}});

    EXPECT_EQ(expansion.node.text, "x");
    EXPECT_TRUE(expansion.faults.empty());
}

TEST(InterpolationTest, TooDeepNestingIsAFaultEvenIfTheFirstVariableIsSet) {
    EXPECT_EQ(expanded("${A:-${B:-${C:-${D}}}}", {{"A", "x"}}).faults.size(), 1U);
}

TEST(InterpolationTest, NamesTheVariableThatSuppliedAWholeText) {
    const Variables variables = {{"A", "1"}, {"B", "2"}};

    EXPECT_EQ(expanded("${A}", variables).node.variable, "A");
    EXPECT_EQ(expanded("${NONE:-${B:-3}}", variables).node.variable, "B");
    EXPECT_EQ(expanded("${NONE:-3}", variables).node.variable, "");
    EXPECT_EQ(expanded("${A}s", variables).node.variable, "");
    EXPECT_EQ(expanded("${A}${B}", variables).node.variable, "");
    EXPECT_EQ(expanded("${NONE:-${B}s}", variables).node.variable, "");
}

TEST(InterpolationTest, ReportsWhichSecondChoicesAreInUse) {
    const auto choices = [](const std::string& text, Variables variables) {
        FaultReport report{"a.json"};
        SecretList secrets;
        Interpolator interpolator{environment_of(std::move(variables)), report, secrets};
        Node list;
        list.kind = NodeKind::list;
        Node item;
        item.kind = NodeKind::text;
        item.text = text;
        list.items.assign(2, item);
        interpolator.expand(list, "key");
        return interpolator.second_choices();
    };
    const std::string text = "${FIRST:-${SECOND:-${THIRD:-60s}}}";

    EXPECT_TRUE(choices(text, {}).empty());
    EXPECT_TRUE(choices(text, {{"FIRST", "1"}, {"SECOND", "2"}}).empty());
    EXPECT_EQ(choices(text, {{"SECOND", "2"}}),
              (std::vector<SecondChoice>{{.used = "SECOND", .first = "FIRST"}}));
    EXPECT_EQ(choices(text, {{"THIRD", "2"}}),
              (std::vector<SecondChoice>{{.used = "THIRD", .first = "FIRST"}}));
}

TEST(InterpolationTest, LeavesOtherDollarsAlone) {
    EXPECT_EQ(expanded("$A $$ $(x) {A} 5$").node.text, "$A $$ $(x) {A} 5$");
    EXPECT_EQ(expanded("$${A} and $$${A}", {{"A", "x"}}).node.text, "${A} and $${A}");
}

TEST(InterpolationTest, DoesNotFollowReferencesInValues) {
    const Variables variables = {{"A", "${B}"}, {"B", "x"}};
    FaultReport report{"a.json"};
    SecretList secrets;
    Interpolator interpolator{environment_of(variables), report, secrets};
    Node node;
    node.kind = NodeKind::text;
    node.text = "${A}";

    interpolator.expand(node, "key");
    interpolator.expand(node, "key");

    EXPECT_EQ(node.text, "${B}");
    EXPECT_EQ(node.written, "${A}");
}

TEST(InterpolationTest, ReportsWhatCannotBeFilledIn) {
    const std::string bad_reference =
        "a.json:1:1: key: \"${\" is not followed by a variable's name and \"}\"; write ${NAME} or "
        "${NAME:-default}, and $${ for the characters themselves";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"${NONE}",
         "a.json:1:1: key: the variable NONE is not set; set it, or give it a default: "
         "${NONE:-default}"},
        {"${workspaceFolder}/x",
         "a.json:1:1: key: the variable workspaceFolder is not set; it is known only to an "
         "editor; write the path instead"},
        {"${userHome}",
         "a.json:1:1: key: the variable userHome is not set; it is known only to an editor; "
         "write ${HOME} instead"},
        {"${input:key}",
         "a.json:1:1: key: ${input:...} works only in an editor; set an environment "
         "variable and write ${NAME}"},
        {"${A:-${B}}",
         "a.json:1:1: key: the variable B is not set; set it, or give it a default: "
         "${B:-default}"},
        {"${A:-${B:-${C:-${D:-x}}}}",
         "a.json:1:1: key: references in defaults are nested more than 3 deep; remove the "
         "innermost ones"},
        {"${A:-${B}", bad_reference},
        {"${A", bad_reference},
        {"${}", bad_reference},
        {"${1A}", bad_reference},
        {"${A B}", bad_reference},
        {"${A-x}", bad_reference},
    };
    for (const auto& [text, message] : cases) {
        const Expansion expansion = expanded(text);
        EXPECT_EQ(expansion.faults, std::vector<std::string>{message});
        EXPECT_TRUE(expansion.node.is_unresolved) << text;
    }
}

TEST(InterpolationTest, ReportsEachVariableOfAText) {
    EXPECT_EQ(expanded("${A} ${B}").faults.size(), 2U);
}

TEST(InterpolationTest, BoundsWhatVariablesAddUpTo) {
    std::string text;
    for (int count = 0; count < 100; ++count) {
        text += "${A}";
    }
    const Expansion expansion =
        expanded(text, {{"A", std::string(1'000, 'x')}}, {.max_expanded_bytes = 5'000});

    EXPECT_EQ(expansion.faults,
              std::vector<std::string>{"a.json:1:1: key: the texts are too long with "
                                       "their variables filled in"});
    EXPECT_LT(expansion.node.text.size(), 7'000U);
}

TEST(InterpolationTest, RemembersValuesOfSecretVariables) {
    const Variables variables = {{"API_KEY", "abcdef"},
                                 {"HOME", "/home/alice"},
                                 {"GITHUB_PAT", "ghp_12"},
                                 {"SHORT_TOKEN", "abcde"}};

    EXPECT_EQ(expanded("${API_KEY} ${HOME} ${SHORT_TOKEN}", variables).secrets,
              std::vector<std::string>{"abcdef"});
    EXPECT_EQ(expanded("${GITHUB_PAT}${DB_PASSWORD:-default-password}", variables).secrets,
              (std::vector<std::string>{"default-password", "ghp_12"}));
}

TEST(InterpolationTest, ReachesEveryTextOfASection) {
    const Config config =
        config_of(R"({"mcpServers": {}, "tools": [{"match": "${A}", "deep": {"er": ["${A}"]}}]})",
                  {{"A", "x"}});

    const Node& rule = config.section("tools")->items[0];
    EXPECT_EQ(rule.find("match")->text, "x");
    EXPECT_EQ(rule.find("deep")->find("er")->items[0].text, "x");
}

TEST(InterpolationTest, TextsFitBoolAndNumberKeysAfterwards) {
    const Config config = config_of(
        R"({"mcpServers": {"a": {"command": "x", "disabled": "${OFF}"}},
            "limits": {"jsonDepth": "${DEPTH}", "allBuffers": "${BYTES}", "queueWait": "${WAIT}"}})",
        {{"OFF", "true"}, {"DEPTH", "60"}, {"BYTES", "134217728"}, {"WAIT", "2s"}});

    EXPECT_TRUE(config.servers[0].is_disabled);
    EXPECT_EQ(config.limits.json_depth, 60U);
    EXPECT_EQ(config.limits.all_buffers_bytes, 128 * kMegabyte);
    EXPECT_EQ(config.limits.queue_wait, std::chrono::seconds{2});
}

}  // namespace
}  // namespace holdfast::config
