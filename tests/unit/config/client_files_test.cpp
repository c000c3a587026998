#include <gtest/gtest.h>

#include "tests/unit/config/config_reading.hpp"

// Files as the programs of agents write them, unchanged.

namespace holdfast::config {
namespace {

TEST(ClientFilesTest, ReadsAFileOfClaudeDesktop) {
    const char* text = R"({
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/alice/Desktop"]
    },
    "brave-search": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-brave-search"],
      "env": {"BRAVE_API_KEY": "BSA-123456"}
    },
    "My (old) notes" : {
        "command" : "C:\\Tools\\notes.exe", "args" : [], "env" : {}
    }
}
})";

    const Config config = config_of(text);

    ASSERT_EQ(config.servers.size(), 3U);
    EXPECT_EQ(config.servers[0].name, "filesystem");
    EXPECT_EQ(config.servers[0].place, (Place{.line = 4, .column = 5}));
    const auto& search = std::get<StdioTarget>(config.servers[1].target);
    EXPECT_EQ(search.command, "npx");
    EXPECT_EQ(search.args,
              (std::vector<std::string>{"-y", "@modelcontextprotocol/server-brave-search"}));
    EXPECT_EQ(search.env,
              (std::vector<NamedText>{{.name = "BRAVE_API_KEY", .value = "BSA-123456"}}));
    EXPECT_EQ(config.servers[2].name, "My (old) notes");
    EXPECT_EQ(std::get<StdioTarget>(config.servers[2].target).command, "C:\\Tools\\notes.exe");
    EXPECT_EQ(warnings_of(text),
              std::vector<std::string>{
                  "mcp.json:2:3: globalShortcut: belongs to another program, ignored"});
}

TEST(ClientFilesTest, ReadsAFileOfClaudeCode) {
    const char* text = R"({
  "mcpServers": {
    "local": {"type": "stdio", "command": "/usr/bin/server", "args": [], "env": {"LEVEL": 3}},
    "api": {
      "type": "http",
      "url": "${API_BASE_URL:-https://api.example.com}/mcp",
      "headers": {"Authorization": "Bearer ${API_KEY}"}
    },
    "old": {"type": "sse", "url": "https://sse.example.com/sse"}
  }
})";

    const Config config = config_of(text, {{"API_KEY", "sk-abcdef"}});

    ASSERT_EQ(config.servers.size(), 3U);
    EXPECT_EQ(std::get<StdioTarget>(config.servers[0].target).env[0].value, "3");
    const auto& api = std::get<HttpTarget>(config.servers[1].target);
    EXPECT_EQ(api.url, "https://api.example.com/mcp");
    EXPECT_EQ(api.headers,
              (std::vector<NamedText>{{.name = "Authorization", .value = "Bearer sk-abcdef"}}));
    EXPECT_EQ(api.hint, HttpHint::http);
    EXPECT_EQ(std::get<HttpTarget>(config.servers[2].target).hint, HttpHint::sse);
    EXPECT_TRUE(warnings_of(text, {{"API_KEY", "x"}}).empty());
}

TEST(ClientFilesTest, ReadsAFileOfCursor) {
    const char* text = R"({
  "mcpServers": {
    "python": {
      "command": "python", "args": ["${env:TOOLS}/server.py"],
      "envFile": ".env", "env": {"API_KEY": "${env:API_KEY}"}
    },
    "remote": {
      "url": "http://localhost:3000/mcp", "headers": {"API_KEY": "value-1"},
      "disabled": true, "autoApprove": ["search"], "timeout": 60
    },
    "second": {"url": "http://localhost:3001/sse", "autoApprove": [], "alwaysAllow": [],
               "description": "${NOT_SET} is of no matter in a key that is ignored"}
  }
})";
    const Variables variables = {{"TOOLS", "/opt/tools"}, {"API_KEY", "abcdef"}};

    const Config config = config_of(text, variables);

    ASSERT_EQ(config.servers.size(), 3U);
    EXPECT_EQ(std::get<StdioTarget>(config.servers[0].target).args[0], "/opt/tools/server.py");
    EXPECT_FALSE(config.servers[0].is_disabled);
    EXPECT_TRUE(config.servers[1].is_disabled);
    EXPECT_EQ(config.servers[1].timeout, std::nullopt);
    EXPECT_EQ(std::get<HttpTarget>(config.servers[2].target).hint, HttpHint::none);
    const std::vector<std::string> expected = {
        ("mcp.json:5:7: mcpServers.python.envFile: ignored; copy the variables of the file into "
         "\"env\""),
        ("mcp.json:9:25: mcpServers.remote.autoApprove: ignored; the agent's program handles "
         "approvals"),
        ("mcp.json:9:63: mcpServers.remote.timeout: a number without a unit is ignored; write "
         "\"60s\" if seconds are meant"),
        ("mcp.json:11:71: mcpServers.second.alwaysAllow: ignored; the agent's program handles "
         "approvals"),
        "mcp.json:12:16: mcpServers.second.description: unknown key, ignored",
    };
    EXPECT_EQ(warnings_of(text, variables), expected);
}

TEST(ClientFilesTest, ReadsAFileOfVsCode) {
    const char* text = R"({
  // Servers of this workspace
  "servers": {
    "github": {"type": "http", "url": "https://api.githubcopilot.com/mcp/", "gallery": true},
    "playwright": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@microsoft/mcp-server-playwright",], /* latest */
    },
  },
  "inputs": [],
})";

    const Config config = config_of(text);

    ASSERT_EQ(config.servers.size(), 2U);
    EXPECT_EQ(config.servers[0].name, "github");
    EXPECT_EQ(config.servers[1].name, "playwright");
    const std::vector<std::string> expected = {
        "mcp.json:4:77: servers.github.gallery: unknown key, ignored",
        ("mcp.json:11:3: inputs: inputs are not supported; set environment variables and "
         "write ${NAME} instead of ${input:...}"),
    };
    EXPECT_EQ(warnings_of(text), expected);
}

TEST(ClientFilesTest, SaysWhatToDoAboutInputsOfVsCode) {
    const auto faults = faults_of(R"({
  "inputs": [{"type": "promptString", "id": "key", "password": true}],
  "servers": {
    "p": {"type": "stdio", "command": "npx", "env": {"KEY": "${input:key}"}}
  }
})");

    EXPECT_EQ(faults, std::vector<std::string>{
                          "mcp.json:4:61: servers.p.env.KEY: ${input:...} works only in an editor; "
                          "set an environment variable and write ${NAME}"});
}

TEST(ClientFilesTest, SkipsVariablesThatAreNull) {
    const char* text = R"({"servers": {"a": {"command": "x", "env": {"A": null, "B": "b"}}}})";

    const Config config = config_of(text);

    EXPECT_EQ(std::get<StdioTarget>(config.servers[0].target).env,
              (std::vector<NamedText>{{.name = "B", .value = "b"}}));
    EXPECT_EQ(warnings_of(text),
              std::vector<std::string>{"mcp.json:1:49: servers.a.env.A: null is ignored"});
}

TEST(ClientFilesTest, TakesTheSchemaOfAnEditorInSilence) {
    EXPECT_TRUE(
        warnings_of(R"({"$schema": "https://example.com/s.json", "mcpServers": {}})").empty());
}

}  // namespace
}  // namespace holdfast::config
