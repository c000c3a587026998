#include "cli/commands/starter_config.hpp"

#include <optional>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "cli/commands/demo_command.hpp"
#include "config/read_config.hpp"
#include "policy/read_policy_table.hpp"

namespace holdfast::cli {
namespace {

std::optional<std::string> any_value(std::string_view /*name*/) {
    return "the value of a variable";
}

/// Reads it as "holdfast check" does, and expects nothing to be wrong with it.
std::optional<config::Config> expect_valid(const std::string& text) {
    auto outcome = config::read_config("config.json", text, any_value);
    for (const config::ConfigFault& warning : outcome.warnings) {
        ADD_FAILURE() << warning.text();
    }
    if (!outcome.config) {
        ADD_FAILURE() << outcome.config.error().front().text();
        return std::nullopt;
    }
    const auto table = policy::read_policy_table(*outcome.config, any_value);
    EXPECT_TRUE(table.table);
    return std::move(*outcome.config);
}

/// Every line that is a key or a list's item behind `//` becomes part of the config.
std::string with_examples(std::string text) {
    for (const std::string example : {"// \"", "// {"}) {
        for (std::size_t at = text.find(example); at != std::string::npos;
             at = text.find(example, at)) {
            text.erase(at, 3);
        }
    }
    return text;
}

TEST(StarterConfigTest, IsValidAndStartsThisProgram) {
    const auto config = expect_valid(starter_config("/opt/hold \"fast\"", "/a/config.json"));

    ASSERT_TRUE(config);
    ASSERT_EQ(config->servers.size(), 1U);
    const auto* target = std::get_if<config::StdioTarget>(&config->servers.front().target);
    ASSERT_NE(target, nullptr);
    EXPECT_EQ(target->command, "/opt/hold \"fast\"");
    EXPECT_EQ(target->args, std::vector<std::string>{"demo-server"});
}

TEST(StarterConfigTest, HasExamplesThatAreValidToo) {
    const auto config = expect_valid(with_examples(starter_config("holdfast", "config.json")));

    ASSERT_TRUE(config);
    EXPECT_EQ(config->servers.size(), 4U);
    EXPECT_EQ(config->agents.tokens.size(), 1U);
}

TEST(StarterConfigTest, NamesItsFileInOneLine) {
    const std::string text = starter_config("holdfast", "/a\n}/config.json");

    EXPECT_NE(text.find("check --config /a\\n}/config.json"), std::string::npos);
    EXPECT_TRUE(expect_valid(text));
}

TEST(DemoConfigTest, IsValid) {
    const auto config = expect_valid(demo_config("/usr/bin/holdfast", "127.0.0.1:0"));

    ASSERT_TRUE(config);
    EXPECT_EQ(config->servers.size(), 2U);
}

}  // namespace
}  // namespace holdfast::cli
