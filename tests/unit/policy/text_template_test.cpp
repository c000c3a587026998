#include "policy/text_template.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::policy {
namespace {

struct Filling {
    std::string_view text;
    std::string_view expected;
};

TEST(TextTemplateTest, ReplacesOnlyPlaceholders) {
    const std::vector<TemplateValue> values = {{.name = "seconds", .value = "5"},
                                               {.name = "tool", .value = "{server}"},
                                               {.name = "detail", .value = "It broke."}};
    const std::vector<Filling> rows = {
        {"", ""},
        {"plain", "plain"},
        {"in {seconds} seconds", "in 5 seconds"},
        {"{seconds}{seconds}", "55"},
        {"{tool}", "{server}"},  // values are not searched for placeholders
        {"ends. {hint}", "ends."},
        {"{hint} begins", " begins"},
        {"Error: {detail}. Continue.", "Error: It broke. Continue."},
        {"Error: {detail}", "Error: It broke."},
        {"{} {a b} {unknown} {", "{} {a b} {unknown} {"},
        {"{{seconds}}", "{5}"},
        {R"({"a": {seconds}})", R"({"a": 5})"},
    };

    for (const Filling& row : rows) {
        EXPECT_EQ(filled(row.text, values), row.expected) << row.text;
    }
}

TEST(TextTemplateTest, FindsUnknownPlaceholders) {
    EXPECT_EQ(unknown_placeholder("{seconds} {tool} {} {a b} {1} {"), std::nullopt);
    EXPECT_EQ(unknown_placeholder("{seconds} {secnods}"), "secnods");
}

}  // namespace
}  // namespace holdfast::policy
