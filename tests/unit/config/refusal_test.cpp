#include <gtest/gtest.h>

#include "tests/unit/config/config_reading.hpp"

// Bad texts, and exactly what is said about each of them.

namespace holdfast::config {
namespace {

struct Refusal {
    std::string text;
    std::string message;  // behind "mcp.json:"
};

void expect_refusals(const std::vector<Refusal>& refusals) {
    for (const Refusal& refusal : refusals) {
        EXPECT_EQ(faults_of(refusal.text), std::vector<std::string>{"mcp.json:" + refusal.message})
            << refusal.text;
    }
}

TEST(RefusalTest, OfTextsThatAreNoDocument) {
    expect_refusals({
        {"", R"(1:1: the file is empty; write at least {"mcpServers": {}})"},
        {"// only a comment", R"(1:18: the file is empty; write at least {"mcpServers": {}})"},
        {"[]", R"(1:1: the file must hold an object with "mcpServers", not a list)"},
        {R"("text")", R"(1:1: the file must hold an object with "mcpServers", not text)"},
        {R"({"mcpServers": {}} })",
         "1:20: the document has ended before this; remove what follows, or the bracket "
         "too many above"},
        {R"({"mcpServers": {})", R"(1:1: this object is not closed; add "}" where it ends)"},
        {R"({"mcpServers": {"a": [1, 2}})", R"(1:27: a "," or "]" is expected here)"},
        {R"({"mcpServers" {}})", R"(1:15: a ":" is missing between the key and its value)"},
        {"{,}", "1:2: a key is expected here; write it in double quotes"},
        {R"({"a": })", "1:7: a value is expected here"},
        {"/* open", R"(1:1: this comment is not closed; add "*/" where it ends)"},
        {"{\"a\": \"line\nend\"}",
         "1:7: this text does not end in its line; add the closing double quote"},
        {"{\"a\": \"tab\there\"}",
         "1:11: there is a control character in this text; write a tab as \\t"},
        {R"({"a": "\ud800"})",
         "1:8: this is no character; \\u takes four hexadecimal digits, and a character "
         "beyond \\uffff a pair of them"},
        {R"({"a": "\u0000"})", "1:8: no text of a config can contain the character \\u0000"},
        {"{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n \"a\": {\"command\": \"y\"}}}",
         "2:2: a: this key stands twice, first in line 1 and again in line 2; rename or "
         "remove one of them"},
    });
}

TEST(RefusalTest, OfServers) {
    expect_refusals({
        {R"({"mcpServers": {"a": "npx"}})",
         R"(1:22: mcpServers.a: must be an object with "command" or "url", not text)"},
        {R"({"mcpServers": {"a": {}}})",
         R"(1:22: mcpServers.a: has neither "command" nor "url"; add one of them)"},
        {R"({"mcpServers": {"a": {"command": "x", "url": "http://h"}}})",
         R"(1:22: mcpServers.a: has both "command" and "url"; remove one of them)"},
        {R"({"mcpServers": {"a": {"command": ""}}})",
         "1:34: mcpServers.a.command: must not be empty"},
        {R"({"mcpServers": {"a": {"command": ["npx", "-y"]}}})",
         "1:34: mcpServers.a.command: must be text in double quotes, not a list"},
        {R"({"mcpServers": {"a": {"command": "x", "args": "-y"}}})",
         "1:47: mcpServers.a.args: must be a list, not text"},
        {R"({"mcpServers": {"a": {"command": "x", "args": ["--port", 80]}}})",
         "1:58: mcpServers.a.args[1]: must be text in double quotes, not a number"},
        {R"({"mcpServers": {"a": {"command": "x", "env": ["A=1"]}}})",
         "1:46: mcpServers.a.env: must be an object, not a list"},
        {R"({"mcpServers": {"a": {"command": "x", "env": {"A=B": "1"}}}})",
         R"(1:54: mcpServers.a.env["A=B"]: no variable can have this name; it must not be )"
         R"(empty or contain "=")"},
        {R"({"mcpServers": {"a": {"command": "x", "cwd": 5}}})",
         "1:46: mcpServers.a.cwd: must be text in double quotes, not a number"},
        {R"({"mcpServers": {"a": {"url": "docs.example/mcp"}}})",
         "1:30: mcpServers.a.url: must be a URL that begins with http:// or https:// and "
         "a host"},
        {R"({"mcpServers": {"a": {"url": "http://"}}})",
         "1:30: mcpServers.a.url: must be a URL that begins with http:// or https:// and "
         "a host"},
        {R"({"mcpServers": {"a": {"url": "http://a b"}}})",
         "1:30: mcpServers.a.url: the URL has a space or control character in it; write "
         "it as %20 or remove it"},
        {R"({"mcpServers": {"a": {"type": "ws", "url": "http://h"}}})",
         "1:44: mcpServers.a.url: must be a URL that begins with ws:// or wss:// and a "
         "host"},
        {R"({"mcpServers": {"a": {"type": "http", "url": "ws://h"}}})",
         "1:46: mcpServers.a.url: must be a URL that begins with http:// or https:// and "
         "a host"},
        {R"({"mcpServers": {"a": {"url": "http://h", "headers": {"A B": "x"}}}})",
         R"(1:61: mcpServers.a.headers["A B"]: this is no name of a header; use letters, )"
         R"(digits and "-")"},
        {R"({"mcpServers": {"a": {"url": "http://h", "headers": {"A": "x\ny"}}}})",
         "1:59: mcpServers.a.headers.A: the value of a header has a line end or control "
         "character in it; remove it"},
        {R"({"mcpServers": {"a": {"url": "http://h", "headers": []}}})",
         "1:53: mcpServers.a.headers: must be an object, not a list"},
        {R"({"mcpServers": {"a": {"type": "stdoi", "command": "x"}}})",
         R"(1:31: mcpServers.a.type: must be one of "stdio", "http", "streamable-http", )"
         R"("sse", "ws", "rest", "websocket", "streamableHttp", not "stdoi")"},
        {R"({"mcpServers": {"a": {"type": "stdio", "url": "http://h"}}})",
         R"(1:22: mcpServers.a: a server of type "stdio" needs "command")"},
        {R"({"mcpServers": {"a": {"type": "sse", "command": "x"}}})",
         R"(1:22: mcpServers.a: a server of this type needs "url")"},
        {R"({"mcpServers": {"a": {"type": "ws"}}})",
         R"(1:22: mcpServers.a: a server of type "ws" needs "url", or "listen" when it )"
         "connects to the gateway"},
        {R"({"mcpServers": {"a": {"listen": "/a", "url": "ws://h"}}})",
         R"(1:22: mcpServers.a: has "listen" and another address; remove one of them)"},
        {R"({"mcpServers": {"a": {"listen": "bridge"}}})",
         R"(1:33: mcpServers.a.listen: must be a path, as in "/bridge/tab")"},
        {R"({"mcpServers": {"a": {"listen": "/mcp", "token": "t"}}})",
         R"(1:33: mcpServers.a.listen: is where agents connect; choose another path, as in )"
         R"("/bridge/tab")"},
        {R"({"mcpServers": {"a": {"listen": "/a", "origins": ["http://h/path"]}}})",
         R"(1:51: mcpServers.a.origins[0]: must be an origin, as in "https://host" or )"
         R"("http://host:8080", without a path)"},
        {R"({"mcpServers": {"a": {"listen": "/a", "token": ""}}})",
         "1:48: mcpServers.a.token: must not be empty"},
        {R"({"mcpServers": {"a": {"command": "x", "disabled": "yes"}}})",
         R"(1:51: mcpServers.a.disabled: must be true or false, not "yes")"},
        {R"({"mcpServers": {"a": {"command": "x", "session": "per-user"}}})",
         R"(1:50: mcpServers.a.session: must be one of "shared", "per-agent", not "per-user")"},
        {R"({"mcpServers": {"a": {"command": "x", "timeout": "60"}}})",
         R"(1:50: mcpServers.a.timeout: must be a duration with its unit, as in "200ms", )"
         R"("30s" or "2m", not "60")"},
        {R"({"mcpServers": {"a": {"command": "x", "preset": true}}})",
         "1:49: mcpServers.a.preset: must be text in double quotes, not true or false"},
        {R"({"mcpServers": {"a": {"command": "x", "reconnect": {"dely": "1s"}}}})",
         "1:53: mcpServers.a.reconnect.dely: this key is unknown; the nearest valid key "
         R"(is "delay")"},
        {R"({"mcpServers": {"a": {"command": "x", "reconnect": {"delay": "2m"}}}})",
         R"(1:52: mcpServers.a.reconnect: "delay" is 2m and must not be longer than )"
         R"("maxDelay", which is 1m)"},
        {R"({"mcpServers": {"a": {"command": "x", "reconnect": {"jitter": 1.5}}}})",
         "1:63: mcpServers.a.reconnect.jitter: must be between 0 and 1, not 1.5"},
        {R"({"mcpServers": {"a": {"command": "x", "reconnect": {"attempts": 2.5}}}})",
         "1:65: mcpServers.a.reconnect.attempts: must be a whole number, not 2.5"},
        {R"({"mcpServers": {"a": {"command": "${NONE}"}}})",
         "1:34: mcpServers.a.command: the variable NONE is not set; set it, or give it a "
         "default: ${NONE:-default}"},
        {R"({"mcpServers": {"": {"command": "x"}}})",
         R"(1:17: mcpServers[""]: the name of a server is empty; give it a name)"},
        {R"({"mcpServers": {"a\tb": {"command": "x"}}})",
         R"(1:17: mcpServers["a\u0009b"]: the name of a server has a control character in )"
         "it; remove it"},
        {R"({"mcpServers": {"my server": {"command": 1}}})",
         R"(1:42: mcpServers["my server"].command: must be text in double quotes, not a )"
         "number"},
        {R"({"mcpServers": {"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn": {"command": "x"}}})",
         "1:17: "
         ""
         R"(mcpServers["nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn..."]: the name of a server is longer than 64 bytes; shorten it)"},
    });
}

TEST(RefusalTest, OfSections) {
    expect_refusals({
        {R"({"mcpServer": {}})",
         R"(1:2: mcpServer: this key is unknown; the nearest valid key is "mcpServers")"},
        {R"({"mcpServers": {}, "limit": {}})",
         R"(1:20: limit: this key is unknown; the nearest valid key is "limits")"},
        {R"({"mcpServers": []})",
         "1:16: mcpServers: must be an object of servers by name, not a list"},
        {"{\"mcpServers\": {},\n \"servers\": {}}",
         R"(2:13: servers: the file has "mcpServers" too, in line 1; move all servers into )"
         "one of them"},
        {R"({"limits": []})", "1:12: limits: must be an object, not a list"},
        {R"({"limits": {"jsonDept": 5}})",
         R"(1:13: limits.jsonDept: this key is unknown; the nearest valid key is "jsonDepth")"},
        {R"({"limits": {"jsonDepth": 8}})",
         "1:26: limits.jsonDepth: must be between 16 and 4096, not 8"},
        {R"({"limits": {"jsonDepth": true}})",
         "1:26: limits.jsonDepth: must be a whole number, not true"},
        {R"({"limits": {"agentMessage": "8 megabytes"}})",
         R"(1:29: limits.agentMessage: must be a size, as in "64kB" or "8MB", or a number )"
         R"(of bytes, not "8 megabytes")"},
        {R"({"limits": {"agentMessage": "2GB"}})",
         R"(1:29: limits.agentMessage: must be between 1kB and 1GB, not "2GB")"},
        {R"({"limits": {"allBuffers": "32MB"}})",
         "1:12: limits.allBuffers: is 32MB and must not be smaller than "
         R"("downstreamMessage", which is 64MB)"},
        {R"({"limits": {"queueWait": 5}})",
         R"(1:26: limits.queueWait: must be a duration with its unit, as in "200ms", "30s" )"
         R"(or "2m", not 5)"},
        {R"({"limits": {"queueWait": "48h"}})",
         R"(1:26: limits.queueWait: must be between 0ms and 24h, not "48h")"},
        {R"({"limits": {"queue": -1}})",
         "1:22: limits.queue: must be between 0 and 1000000, not -1"},
        {R"({"names": {"prefix": "sometimes"}})",
         R"(1:22: names.prefix: must be one of "auto", "always", "never", not "sometimes")"},
        {R"({"names": {"prefx": "auto"}})",
         R"(1:12: names.prefx: this key is unknown; the nearest valid key is "prefix")"},
        {R"({"agents": {"token": {}}})",
         R"(1:13: agents.token: this key is unknown; the nearest valid key is "tokens")"},
        {R"({"agents": {"tokens": {"alice": ""}}})",
         "1:33: agents.tokens.alice: the token is empty; without a token leave the agent "
         "out"},
        {R"({"agents": {"tokens": {"anonymous": "x"}}})",
         "1:37: agents.tokens.anonymous: this is the name of agents without a token; "
         "choose another"},
        {R"({"agents": {"tokens": {"a": "x", "b": "x"}}})",
         R"(1:39: agents.tokens.b: has the same token as "a"; give each agent its own)"},
        {R"({"agents": {"origins": ["app.example"]}})",
         R"(1:25: agents.origins[0]: must be an origin, as in "https://host" or )"
         R"("http://host:8080", without a path)"},
        {R"({"agents": {"hosts": ["http://h"]}})",
         R"(1:23: agents.hosts[0]: must be the name of a host, as in "gateway.example")"},
        {R"({"catalogue": {"pageSize": 0}})",
         "1:28: catalogue.pageSize: must be between 1 and 100000, not 0"},
        {R"({"ask": {"timeout": "0s"}})",
         R"(1:21: ask.timeout: must be between 1ms and 24h, not "0s")"},
    });
}

TEST(RefusalTest, TellsOfSeveralFaultsInTheOrderOfTheFile) {
    const auto faults = faults_of(R"({
  "limits": {"queue": "many", "quue": 1},
  "mcpServers": {
    "a": {"command": "${NONE}", "args": [1]},
    "a": {}
  }
})");

    const std::vector<std::string> expected = {
        R"(mcp.json:2:23: limits.queue: must be a whole number, not "many")",
        R"(mcp.json:2:31: limits.quue: this key is unknown; the nearest valid key is "queue")",
        ("mcp.json:4:22: mcpServers.a.command: the variable NONE is not set; set it, or give it a "
         "default: ${NONE:-default}"),
        "mcp.json:4:42: mcpServers.a.args[0]: must be text in double quotes, not a number",
        ("mcp.json:5:5: a: this key stands twice, first in line 4 and again in line 5; rename or "
         "remove one of them"),
        R"(mcp.json:5:10: mcpServers.a: has neither "command" nor "url"; add one of them)",
    };
    EXPECT_EQ(faults, expected);
}

TEST(RefusalTest, StopsAtTwentyFaultsAndFiftyWarnings) {
    std::string text = R"({"mcpServers": {)";
    for (int index = 0; index < 100; ++index) {
        const std::string number = std::to_string(index);
        text.append("\"s").append(number).append("\": {\"foreign").append(number);
        text += "\": 1},";
    }
    const auto outcome = read_config("mcp.json", text + "}}", environment_of({}));

    ASSERT_FALSE(outcome.config);
    EXPECT_EQ(outcome.config.error().size(), 20U);
    EXPECT_EQ(outcome.warnings.size(), 50U);
}

TEST(RefusalTest, SaysNothingMoreAboutAValueWhoseVariableIsNotSet) {
    EXPECT_EQ(
        faults_of(R"({"mcpServers": {"a": {"url": "${NONE}", "timeout": "${NONE}"}}})").size(), 2U);
    EXPECT_EQ(faults_of(R"({"mcpServers": {"a": {"type": "${NONE}", "url": "x"}}})").size(), 1U);
}

}  // namespace
}  // namespace holdfast::config
