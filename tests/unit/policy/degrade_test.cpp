#include "policy/degrade.hpp"

#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

TEST(DegradeTest, PrefersTheClassThenTheCodeThenOther) {
    const DegradeRules rules{.texts = {{"serverError", {.read = "class", .write = ""}},
                                       {"DOWNSTREAM_ERROR", {.read = "code", .write = "code"}},
                                       {"other", {.read = "other", .write = "other"}}}};
    const auto text = [&](FailureCode code, std::string_view name, bool is_read) {
        return degrade_text(rules, {.code = code,
                                    .error_class = find_class(*builtin_classes(), name),
                                    .is_read = is_read});
    };

    EXPECT_EQ(text(FailureCode::downstream_error, "serverError", true), "class");
    EXPECT_EQ(text(FailureCode::downstream_error, "serverError", false), "code");
    EXPECT_EQ(text(FailureCode::downstream_error, "clientError", true), "code");
    EXPECT_EQ(text(FailureCode::timeout, "timeout", true), "other");
    EXPECT_EQ(text(FailureCode::timeout, "", false), "other");
    EXPECT_EQ(degrade_text({}, {.code = FailureCode::timeout}), "");
}

TEST(DegradeTest, AWriteThatMayHaveTakenEffectHasItsOwnText) {
    const DegradeRules rules{
        .texts = {{"other", {.read = "read", .write = "not done", .uncertain = "perhaps"}},
                  {"TIMEOUT", {.read = "late", .write = "late"}}}};
    const auto text = [&](FailureCode code, bool is_read, bool may_have_effect) {
        return degrade_text(rules,
                            {.code = code, .is_read = is_read, .may_have_effect = may_have_effect});
    };

    EXPECT_EQ(text(FailureCode::overloaded, false, true), "perhaps");
    EXPECT_EQ(text(FailureCode::overloaded, false, false), "not done");
    EXPECT_EQ(text(FailureCode::overloaded, true, true), "read");
    EXPECT_EQ(text(FailureCode::timeout, false, true), "late");
}

TEST(DegradeTest, ANewTextForWritesReplacesTheInheritedOneForUncertainWrites) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "policy": "mine"}},
        "policies": {
          "default": {"degrade": {"texts": {
            "TIMEOUT": {"read": "r", "write": "w", "uncertain": "u"},
            "OVERLOADED": {"write": "w", "uncertain": "u"}}}},
          "mine": {"degrade": {"texts": {"TIMEOUT": "mine", "OVERLOADED": {"read": "mine"}}}}}})");
    const DegradeRules rules = table.resolve("s", "t").policy.degrade;

    EXPECT_EQ(degrade_text(rules, {.code = FailureCode::timeout, .may_have_effect = true}), "mine");
    EXPECT_EQ(degrade_text(rules, {.code = FailureCode::overloaded, .may_have_effect = true}), "u");
}

TEST(DegradeTest, TextsAreInheritedOneByOne) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "policy": "mine"}},
        "policies": {
          "default": {"degrade": {"texts": {"TIMEOUT": "late", "OVERLOADED": "full"}}},
          "mine": {"degrade": {"as": "result", "texts": {"TIMEOUT": {"read": "late read"}}}}}})");
    const DegradeRules rules = table.resolve("s", "t").policy.degrade;

    EXPECT_EQ(rules.as, DegradeAs::result);
    EXPECT_EQ(degrade_text(rules, {.code = FailureCode::timeout, .is_read = true}), "late read");
    EXPECT_EQ(degrade_text(rules, {.code = FailureCode::timeout, .is_read = false}), "late");
    EXPECT_EQ(degrade_text(rules, {.code = FailureCode::overloaded}), "full");
}

}  // namespace
}  // namespace holdfast::policy
