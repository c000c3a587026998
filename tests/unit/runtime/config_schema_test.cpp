#include "runtime/config_schema.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "config/node_json.hpp"
#include "policy/presets.hpp"
#include "runtime/loaded_config.hpp"
#include "schema/schema.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temporary_folder.hpp"

namespace holdfast::runtime {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;

std::optional<Node> document_of(const std::string& text) {
    config::FaultReport report{"example"};
    auto root = config::read_document(text, report);
    for (const config::ConfigFault& fault : report.take_faults()) {
        ADD_FAILURE() << fault.text() << "\n" << text;
        return std::nullopt;
    }
    return root;
}

const schema::Schema& compiled_schema() {
    static const schema::Schema schema = [] {
        const auto compiled = schema::compile(boost::json::parse(config::json_of(config_schema())));
        EXPECT_TRUE(compiled);
        return *compiled;
    }();
    return schema;
}

/// What the schema says about a config; empty if it is valid.
std::string violations_of(const Node& config) {
    const auto report = compiled_schema().validate(boost::json::parse(config::json_of(config)));
    return report.is_valid() ? std::string{} : schema::to_text(report);
}

std::string violations_of(const std::string& text) {
    const auto root = document_of(text);
    return root ? violations_of(*root) : "no document";
}

/// What the gateway says about a config; empty if it is valid.
std::string faults_of(const std::string& text) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "config.json";
    std::ofstream{file} << text;
    ConfigMessages messages;
    return load_everything(file, messages) ? std::string{} : joined(messages);
}

/// The schema of an object that may have an alternative, such as "none".
const Node& object_in(const Node& schema) {
    if (const Node* const choices = schema.find("anyOf")) {
        for (const Node& choice : choices->items) {
            if (choice.find("properties") != nullptr) {
                return choice;
            }
        }
    }
    return schema;
}

TEST(ConfigSchemaTest, IsWhatTheCommandPrints) {
    test::expect_golden("config_schema", config::indented_json_of(config_schema()));
}

TEST(ConfigSchemaTest, ChecksEveryKeyword) {
    for (const schema::SkippedKeyword& keyword : compiled_schema().skipped()) {
        ADD_FAILURE() << keyword.location << ": " << keyword.reason;
    }
}

TEST(ConfigSchemaTest, DescribesEveryKey) {
    const Node schema = config_schema();
    std::vector<const Node*> pending{&schema};
    while (!pending.empty()) {
        const Node* const node = pending.back();
        pending.pop_back();
        for (const Member& member : node->members) {
            pending.push_back(&member.value);
        }
        for (const Node& item : node->items) {
            pending.push_back(&item);
        }
        const Node* const properties = node->find("properties");
        if (properties == nullptr || node->find("required") != nullptr) {
            continue;  // the condition that recognises an HTTP API has no descriptions
        }
        for (const Member& key : properties->members) {
            const Node* const description = key.value.find("description");
            ASSERT_NE(description, nullptr) << key.key;
            EXPECT_FALSE(description->text.empty()) << key.key;
            EXPECT_FALSE(description->text.ends_with('.')) << key.key;
        }
    }
}

TEST(ConfigSchemaTest, AgreesWithTheReadersAboutUnknownKeys) {
    const Node schema = config_schema();
    for (const Member& section : schema.find("properties")->members) {
        const Node* const properties = object_in(section.value).find("properties");
        if (properties == nullptr) {
            continue;
        }
        const auto config_with = [&](const std::string& key) {
            return R"({"mcpServers": {}, ")" + section.key + R"(": {")" + key + R"(": [[]]}})";
        };
        for (const Member& key : properties->members) {
            const std::string faults = faults_of(config_with(key.key));
            EXPECT_NE(faults.find(section.key + "." + key.key), std::string::npos) << faults;
            EXPECT_EQ(faults.find("unknown key"), std::string::npos) << faults;
            EXPECT_NE(violations_of(config_with(key.key)), "") << key.key;
        }
        EXPECT_NE(faults_of(config_with("nonsense")).find("unknown key"), std::string::npos)
            << section.key;
        EXPECT_NE(violations_of(config_with("nonsense")), "") << section.key;
    }
}

TEST(ConfigSchemaTest, KnowsEveryKeyOfAPolicy) {
    const Node schema = config_schema();
    const Node& policy = *schema.find("properties")->find("policies")->find("additionalProperties");
    for (const Member& key : policy.find("properties")->members) {
        const std::string config =
            R"({"mcpServers": {}, "policies": {"p": {")" + key.key + R"(": [[]]}}})";
        const std::string faults = faults_of(config);
        EXPECT_NE(faults.find("policies.p." + key.key), std::string::npos) << faults;
        EXPECT_EQ(faults.find("unknown key"), std::string::npos) << faults;
        const Node* const group = object_in(key.value).find("properties");
        if (group == nullptr) {
            continue;
        }
        for (const Member& inner : group->members) {
            const std::string inner_faults =
                faults_of(R"({"mcpServers": {}, "policies": {"p": {")" + key.key + R"(": {")" +
                          inner.key + R"(": [[]]}}}})");
            EXPECT_NE(inner_faults.find("policies.p." + key.key + "." + inner.key),
                      std::string::npos)
                << inner_faults;
            EXPECT_EQ(inner_faults.find("unknown key"), std::string::npos) << inner_faults;
        }
    }
}

TEST(ConfigSchemaTest, AcceptsVariablesAndKeysOfOtherPrograms) {
    EXPECT_EQ(violations_of(R"({
        "$schema": "holdfast.schema.json",
        "theme": "dark",
        "mcpServers": {
            "a": {"command": "x", "autoApprove": ["y"], "disabled": "${OFF:-false}", "timeout": 60},
            "b": {"url": "http://h", "timeout": "${T:-30s}", "reconnect": {"attempts": "${N}"}}},
        "limits": {"queue": "${QUEUE:-5}", "agentMessage": 4096},
        "names": {"prefix": "${PREFIX:-auto}"}})"),
              "");
}

TEST(ConfigSchemaTest, RefusesWhatTheGatewayRefuses) {
    for (const char* config :
         {R"({"limits": {"queue": -1}})", R"({"limits": {"queueWait": 5}})",
          R"({"names": {"prefix": "sometimes"}})", R"({"mcpServers": {"a": "npx"}})",
          R"({"mcpServers": {"a": {"type": "rest", "url": "http://h", "tols": []}}})",
          R"({"policies": {"p": {"retry": "never"}}})", R"({"tools": [{"policy": "p"}]})",
          R"({"mcpServer": {}})"}) {
        EXPECT_NE(violations_of(config), "") << config;
        EXPECT_NE(faults_of(config), "") << config;
    }
}

/// A value of each duration and size, and whether it is within the limits.
TEST(ConfigSchemaTest, HasTheLimitsOfDurationsAndSizes) {
    struct Row {
        const char* section;
        const char* key;
        std::vector<const char*> valid;
        std::vector<const char*> invalid;
    };
    const std::vector<Row> rows{
        {"limits",
         "headerBlock",
         {R"("1kB")", R"("1024")", "1024", R"("0.5MB")", R"("1MB")", R"("1024KiB")", "1048576"},
         {R"("1023")", "1023", R"("0kB")", R"("1025kB")", R"("2MB")", "1048577", R"("3GB")"}},
        {"limits",
         "allBuffers",
         {R"("64MB")", R"("1024GB")", R"("1048576MB")", R"("00064MB")"},
         {R"("1025GB")", R"("1048577MB")", R"("999kB")", "1048575"}},
        {"limits",
         "queueWait",
         {R"("0s")", R"("0.0ms")", R"("24h")", R"("1440m")", R"("86400s")", R"("24.0h")"},
         {R"("24.5h")", R"("25h")", R"("1441m")", R"("86401s")", R"("-1s")", R"("100h")"}},
        {"limits",
         "sessionIdle",
         {R"("1ms")", R"("0.5s")", R"("24h")", R"("1.5m")"},
         {R"("0s")", R"("0ms")", R"("0.0h")", R"("86400001ms")", R"("90000s")"}},
        {"telemetry", "keep", {R"("1m")", R"("87600h")"}, {R"("59s")", R"("87601h")"}},
        {"telemetry", "maxSize", {R"("1MB")", R"("1048576MB")"}, {R"("1023kB")", R"("1025GB")"}},
        {"search", "deadline", {R"("0s")", R"("150ms")"}, {R"("25h")"}}};
    for (const Row& row : rows) {
        const auto config_with = [&row](const char* value) {
            return R"({"mcpServers": {}, ")" + std::string{row.section} + R"(": {")" + row.key +
                   R"(": )" + value + "}}";
        };
        for (const char* value : row.valid) {
            EXPECT_EQ(violations_of(config_with(value)), "") << row.key;
            EXPECT_EQ(faults_of(config_with(value)), "") << row.key;
        }
        for (const char* value : row.invalid) {
            EXPECT_NE(violations_of(config_with(value)), "") << row.key << " " << value;
            EXPECT_NE(faults_of(config_with(value)), "") << row.key << " " << value;
        }
    }
}

/// The config that has the same sections as a preset.
Node config_like(const Node& preset) {
    Node server = *document_of(R"({"url": "http://127.0.0.1"})");
    Node config = *document_of("{}");
    for (const Member& member : preset.members) {
        if (member.key == "rest") {
            for (const Member& key : member.value.members) {
                std::erase_if(server.members,
                              [&](const Member& one) { return one.key == key.key; });
                server.members.push_back(key);
            }
            server.members.push_back({.key = "type", .value = document_of(R"("rest")").value()});
        } else if (member.key == "reconnect") {
            server.members.push_back(member);
        } else if (member.key != "for" && member.key != "description" && member.key != "sweep") {
            config.members.push_back(member);
        }
    }
    Node servers = *document_of("{}");
    servers.members.push_back({.key = "s", .value = std::move(server)});
    config.members.push_back({.key = "mcpServers", .value = std::move(servers)});
    return config;
}

TEST(ConfigSchemaTest, AcceptsThePresets) {
    for (const policy::Preset& preset : policy::presets()) {
        const auto root = document_of(std::string{preset.text});
        ASSERT_TRUE(root) << preset.name;
        EXPECT_EQ(violations_of(config_like(*root)), "") << preset.name;
    }
}

/// The blocks of a page that are marked as JSON with comments.
std::vector<std::string> examples_in(const std::filesystem::path& page) {
    std::vector<std::string> blocks;
    std::ifstream file{page};
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("```")) {
            is_inside = line == "```jsonc";
            if (is_inside) {
                blocks.emplace_back();
            }
        } else if (is_inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

bool has_only(const Node& object, const Node& properties) {
    for (const Member& member : object.members) {
        if (properties.find(member.key) == nullptr) {
            return false;
        }
    }
    return true;
}

/// A page may show a part of a config: sections, servers, keys of a server or of a tool.
std::string whole_config(const std::string& example) {
    const bool is_whole = example.find_first_not_of(" \n") != std::string::npos &&
                          example[example.find_first_not_of(" \n")] == '{';
    if (is_whole) {
        return example;
    }
    const Node schema = config_schema();
    const auto part = document_of("{" + example + "}");
    if (!part || has_only(*part, *schema.find("properties"))) {
        return "{" + example + "}";
    }
    const Node& server = *schema.find("$defs")->find("server");
    if (has_only(*part, *server.find("else")->find("properties"))) {
        return R"({"mcpServers": {"s": {"command": "x", )" + example + "}}}";
    }
    const bool is_tool = part->members.front().key == "text";
    return is_tool ? R"({"mcpServers": {"s": {"type": "rest", "url": "http://h", "tools": [)"
                     R"({"name": "t", "path": "/", )" +
                         example + "}]}}}"
                   : R"({"mcpServers": {)" + example + "}}";
}

TEST(ConfigSchemaTest, AcceptsTheExamplesOfThePages) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{HOLDFAST_DOCS_FOLDER}) {
        if (entry.path().extension() != ".md") {
            continue;
        }
        for (const std::string& example : examples_in(entry.path())) {
            ++count;
            EXPECT_EQ(violations_of(whole_config(example)), "") << entry.path().filename() << "\n"
                                                                << example;
        }
    }
    EXPECT_GT(count, 5U);
}

}  // namespace
}  // namespace holdfast::runtime
