#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/json_text.hpp"

// What the preset `gitnexus` assumes about a tool, in order of precedence: a rule of the user's
// file, an explicit `destructiveHint: true` of the server, the mark of the preset, other
// annotations. The assumption shows in the failure of a call that was sent and not answered.

namespace holdfast::test {
namespace {

const std::string kSafe = "retryable: true, sideEffects: \"none\"";
const std::string kUnsafe = "retryable: false, sideEffects: \"possible\"";

std::string annotated_tool(const std::string& name, const std::string& annotations) {
    return R"({"name":")" + name + R"(","inputSchema":{"type":"object"},"annotations":)" +
           annotations + "}";
}

/// The declarations about a tool, and the expected assumption.
struct BeliefRow {
    std::string name;         ///< Of the case.
    std::string tool;         ///< Marked by the preset unless it is "other".
    std::string annotations;  ///< Of the server.
    std::string rule;         ///< Members of a rule of the user's file; empty = no rule.
    std::string entry;        ///< Members of the server's entry.
    std::string expected;
};

void PrintTo(const BeliefRow& row, std::ostream* out) {
    *out << row.name;
}

std::string row_name(const testing::TestParamInfo<BeliefRow>& info) {
    return info.param.name;
}

class GitNexusBelief : public testing::TestWithParam<BeliefRow> {};

TEST_P(GitNexusBelief, ShowsInTheFailureOfACallWithoutAnAnswer) {
    const BeliefRow& row = GetParam();
    TroubledServer server{{annotated_tool(row.tool, row.annotations)}};
    server.does({"hang"});
    Acceptance scene;
    scene.scene().add_server(
        "graph",
        server.stdio_entry(R"("preset":"gitnexus")" + (row.entry.empty() ? "" : "," + row.entry)));
    if (!row.rule.empty()) {
        scene.scene().add_section(R"("tools":[{"match":"graph.)" + row.tool + "\"," + row.rule +
                                  "}]");
    }
    ASSERT_TRUE(scene.scene().start({}, {"GITNEXUS_TIMEOUT_QUICK=0.3"}));
    TestAgent agent = scene.scene().agent(kAcceptanceLegs[1]);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool(row.tool));

    const std::string answer = agent.request(tool_call(row.tool));

    EXPECT_EQ(member_text(answer, "code"), "\"TIMEOUT\"") << answer;
    EXPECT_EQ("retryable: " + member_text(answer, "retryable") +
                  ", sideEffects: " + member_text(answer, "sideEffects"),
              row.expected)
        << answer;
    EXPECT_EQ(server.arrival_count(), 1U);
}

const std::string kDestructive = R"({"destructiveHint":true})";
const std::string kReads = R"({"readOnlyHint":true})";
const std::string kUntrusted = R"("trustAnnotations":false)";

INSTANTIATE_TEST_SUITE_P(
    Of, GitNexusBelief,
    testing::Values(
        BeliefRow{"RuleBeforeDestructiveHint", "search", kDestructive, R"("readOnly":true)", "",
                  kSafe},
        BeliefRow{"IdempotentRuleBeforeDestructiveHint", "search", kDestructive,
                  R"("idempotent":true)", "", kSafe},
        BeliefRow{"RuleBeforeMarkOfThePreset", "search", "{}", R"("readOnly":false)", "", kUnsafe},
        BeliefRow{"RuleBeforeOtherAnnotations", "other", kReads, R"("readOnly":false)", "",
                  kUnsafe},
        BeliefRow{"DestructiveHintBeforeMarkOfThePreset", "search", kDestructive, "", "", kUnsafe},
        BeliefRow{"DestructiveHintBeforeIdempotentMark", "highlight", kDestructive, "", "",
                  kUnsafe},
        BeliefRow{"DestructiveHintOfAnUntrustedServer", "search", kDestructive, "", kUntrusted,
                  kUnsafe},
        BeliefRow{"DestructiveHintBeforeReadOnlyHint", "other",
                  R"({"destructiveHint":true,"readOnlyHint":true})", "", "", kUnsafe},
        BeliefRow{"MarkOfThePresetBeforeOtherAnnotations", "search",
                  R"({"readOnlyHint":false,"idempotentHint":false})", "", "", kSafe},
        BeliefRow{"IdempotentMarkBeforeOtherAnnotations", "highlight",
                  R"({"readOnlyHint":false,"idempotentHint":false})", "", "", kSafe},
        BeliefRow{"MarkOfThePresetWithAnUntrustedServer", "search", "{}", "", kUntrusted, kSafe},
        BeliefRow{"OtherAnnotationsWhereNobodyElseSaysAnything", "other", kReads, "", "", kSafe},
        BeliefRow{"OtherAnnotationsOfAnUntrustedServerAreIgnored", "other", kReads, "", kUntrusted,
                  kUnsafe},
        BeliefRow{"NobodySaysAnything", "other", "{}", "", "", kUnsafe}),
    row_name);

}  // namespace
}  // namespace holdfast::test
