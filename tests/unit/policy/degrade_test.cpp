#include "policy/degrade.hpp"

#include <gtest/gtest.h>

#include "tests/unit/policy/book_reading.hpp"

namespace holdfast::policy {
namespace {

TEST(DegradeTest, PrefersTheClassThenTheCodeThenOther) {
    const DegradeRules rules{.texts = {{"serverError", {.read = "class", .write = ""}},
                                       {"DOWNSTREAM_ERROR", {.read = "code", .write = "code"}},
                                       {"other", {.read = "other", .write = "other"}}}};
    const auto text = [&](std::string_view code, std::string_view name, bool is_read) {
        return degrade_text(rules, {.code = code, .error_class = name, .is_read = is_read});
    };

    EXPECT_EQ(text("DOWNSTREAM_ERROR", "serverError", true), "class");
    EXPECT_EQ(text("DOWNSTREAM_ERROR", "serverError", false), "code");
    EXPECT_EQ(text("DOWNSTREAM_ERROR", "clientError", true), "code");
    EXPECT_EQ(text("TIMEOUT", "timeout", true), "other");
    EXPECT_EQ(text("TIMEOUT", "", false), "other");
    EXPECT_EQ(degrade_text({}, {.code = "TIMEOUT"}), "");
}

TEST(DegradeTest, AWriteThatMayHaveHadAnEffectHasATextOfItsOwn) {
    const DegradeRules rules{
        .texts = {{"other", {.read = "read", .write = "not done", .uncertain = "perhaps"}},
                  {"TIMEOUT", {.read = "late", .write = "late"}}}};
    const auto text = [&](std::string_view code, bool is_read, bool may_have_effect) {
        return degrade_text(rules,
                            {.code = code, .is_read = is_read, .may_have_effect = may_have_effect});
    };

    EXPECT_EQ(text("OVERLOADED", false, true), "perhaps");
    EXPECT_EQ(text("OVERLOADED", false, false), "not done");
    EXPECT_EQ(text("OVERLOADED", true, true), "read");
    EXPECT_EQ(text("TIMEOUT", false, true), "late");
}

TEST(DegradeTest, ANewTextForWritesReplacesTheInheritedOneForUncertainWrites) {
    const auto table = book_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "policy": "mine"}},
        "policies": {
          "default": {"degrade": {"texts": {
            "TIMEOUT": {"read": "r", "write": "w", "uncertain": "u"},
            "OVERLOADED": {"write": "w", "uncertain": "u"}}}},
          "mine": {"degrade": {"texts": {"TIMEOUT": "mine", "OVERLOADED": {"read": "mine"}}}}}})");
    const DegradeRules rules = table.resolve("s", "t").policy.degrade;

    EXPECT_EQ(degrade_text(rules, {.code = "TIMEOUT", .may_have_effect = true}), "mine");
    EXPECT_EQ(degrade_text(rules, {.code = "OVERLOADED", .may_have_effect = true}), "u");
}

TEST(DegradeTest, TextsAreInheritedOneByOne) {
    const auto table = book_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "policy": "mine"}},
        "policies": {
          "default": {"degrade": {"texts": {"TIMEOUT": "late", "OVERLOADED": "full"}}},
          "mine": {"degrade": {"as": "result", "texts": {"TIMEOUT": {"read": "late read"}}}}}})");
    const DegradeRules rules = table.resolve("s", "t").policy.degrade;

    EXPECT_EQ(rules.as, DegradeAs::result);
    EXPECT_EQ(degrade_text(rules, {.code = "TIMEOUT", .is_read = true}), "late read");
    EXPECT_EQ(degrade_text(rules, {.code = "TIMEOUT", .is_read = false}), "late");
    EXPECT_EQ(degrade_text(rules, {.code = "OVERLOADED"}), "full");
}

}  // namespace
}  // namespace holdfast::policy
