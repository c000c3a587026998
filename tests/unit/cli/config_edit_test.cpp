#include "cli/import/config_edit.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/document.hpp"

namespace holdfast::cli {
namespace {

using config::Member;
using config::Node;

Node read(const std::string& text) {
    config::FaultReport report{"test"};
    auto node = config::read_document(text, report);
    EXPECT_TRUE(node && report.faults().empty()) << text;
    return node.value_or(Node{});
}

std::vector<Member> members(const std::string& text) {
    return read(text).members;
}

TEST(ConfigTextTest, WritesValuesThatReadTheSame) {
    const std::string text =
        R"({"a": [1.50, -2e3, true, null], "b": {"c": "q\"\\\n\u00e9 ${X}"}, "d": {}, "e": []})";

    const std::string written = value_text(read(text));

    EXPECT_EQ(written,
              R"({"a": [1.50, -2e3, true, null], "b": {"c": "q\"\\\né ${X}"}, "d": {}, "e": []})");
    EXPECT_EQ(value_text(read(written)), written);
}

TEST(ConfigTextTest, AddsServersAndKeepsEverythingElse) {
    const std::string text =
        "// mine é\n{\n  /* é */ \"limits\": {}, \"mcpServers\": { // all\n    "
        "\"a\": {\"command\": \"x\"},\n  },\n}\n";

    const auto changed = with_servers("f", text, members(R"({"b": {"url": "https://b"}})"));

    ASSERT_TRUE(changed);
    EXPECT_EQ(*changed,
              "// mine é\n{\n  /* é */ \"limits\": {}, \"mcpServers\": {\n    \"b\": {\"url\": "
              "\"https://b\"}, // all\n    \"a\": {\"command\": \"x\"},\n  },\n}\n");
    EXPECT_EQ(read(*changed).find("mcpServers")->members.size(), 2U);
}

TEST(ConfigTextTest, AddsToAnyFormOfConfig) {
    for (const std::string text :
         {"{}", "{\n}", "{\"servers\":{}}", "\xEF\xBB\xBF{\"mcpServers\":{\"x\":{}}}",
          "{\"preset\":\"ucp\"}", "\xEF\xBB\xBF// c\n{\"mcpServers\":{\n}}"}) {
        const auto changed = with_servers("f", text, members(R"({"b": {"command": "c"}})"));

        ASSERT_TRUE(changed) << text;
        const Node root = read(*changed);
        const Node* section =
            root.find(text.find("\"servers\"") == std::string::npos ? "mcpServers" : "servers");
        ASSERT_NE(section, nullptr) << *changed;
        EXPECT_NE(section->find("b"), nullptr) << *changed;
    }
}

TEST(ConfigTextTest, RefusesTextsThatAreNotAnObject) {
    for (const std::string text : {"[]", "{", R"({"mcpServers":[]})"}) {
        EXPECT_FALSE(with_servers("f", text, {})) << text;
    }
}

}  // namespace
}  // namespace holdfast::cli
