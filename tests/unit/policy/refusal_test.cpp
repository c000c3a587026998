#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

// Invalid policies and the exact message for each of them.

namespace holdfast::policy {
namespace {

struct Refusal {
    std::string section;  // after the servers, in line 2
    std::string message;  // after "mcp.json:2:"
};

void expect_refusals(const std::vector<Refusal>& refusals) {
    for (const Refusal& refusal : refusals) {
        EXPECT_EQ(table_faults_of("{\"mcpServers\": {\"s\": {\"url\": \"http://h/mcp\"}},\n" +
                                  refusal.section + "}"),
                  std::vector<std::string>{"mcp.json:2:" + refusal.message})
            << refusal.section;
    }
}

/// The same for the keys of a policy, which begin in column 20.
void expect_policy_refusals(const std::vector<Refusal>& refusals) {
    std::vector<Refusal> whole;
    for (const Refusal& refusal : refusals) {
        whole.push_back({.section = R"("policies": {"p": {)" + refusal.section + "}}",
                         .message = refusal.message});
    }
    expect_refusals(whole);
}

TEST(PolicyRefusalTest, RejectsInvalidKeysOfAPolicy) {
    expect_policy_refusals({
        {R"("timout": "3s")", R"(20: policies.p.timout: unknown key; the nearest is "timeout")"},
        {R"("timeout": 3)",
         R"(31: policies.p.timeout: must be a duration with its unit, as in "200ms", "30s" or "2m", not 3)"},
        {R"("timeout": "0s")", R"(31: policies.p.timeout: must be between 1ms and 24h, not "0s")"},
        {R"("attemptTimeout": "soon")",
         R"(38: policies.p.attemptTimeout: must be a duration with its unit, as in "200ms", "30s" or "2m", not "soon")"},
        {R"("timeout": "1s", "attemptTimeout": "2s")",
         R"(19: policies.p: "attemptTimeout" is 2s and must not be longer than "timeout", which is 1s)"},
        {R"("progressResets": "often")",
         R"(38: policies.p.progressResets: must be true or false, not "often")"},
        {R"("waitForConnection": 1)",
         R"(41: policies.p.waitForConnection: must be "firstTry", true or false, not 1)"},
        {R"("waitForConnection": "always")",
         R"(41: policies.p.waitForConnection: must be "firstTry", true or false, not "always")"},
        {R"("junk": "drop")", R"(28: policies.p.junk: must be one of "skip", "fail", not "drop")"},
        {R"("classifyResult": true)",
         R"(20: policies.p.classifyResult: unknown key; the nearest is "classifyResults")"},
        {R"("staleFor": "25h")",
         R"(32: policies.p.staleFor: must be between 0ms and 24h, not "25h")"},
        {R"("detail": "verbose")",
         R"(30: policies.p.detail: must be one of "minimal", "standard", "selfCorrect", "debug", not "verbose")"},
        {R"("limit": "none")", "29: policies.p.limit: must be an object, not text"},
        {R"("limit": {"inFlight": 0})",
         "42: policies.p.limit.inFlight: must be between 1 and 1000000, not 0"},
        {R"("limit": {"queues": 1})",
         R"(30: policies.p.limit.queues: unknown key; the nearest is "queue")"},
        {R"("rateLimit": "off")",
         R"(33: policies.p.rateLimit: must be an object or "none", not "off")"},
        {R"("rateLimit": {"burst": 1000})",
         "43: policies.p.rateLimit.burst: must be between 1 and 365, not 1000"},
        {R"("repeatGuard": {"failures": 1})",
         "48: policies.p.repeatGuard.failures: must be between 2 and 1000, not 1"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidRetries) {
    expect_policy_refusals({
        {R"("retry": 3)", R"(29: policies.p.retry: must be an object or "none", not 3)"},
        {R"("retry": {"attempts": 0})",
         "42: policies.p.retry.attempts: must be between 1 and 100, not 0"},
        {R"("retry": {"attempts": 1.5})",
         "42: policies.p.retry.attempts: must be a whole number, not 1.5"},
        {R"("retry": {"delay": "5s", "maxDelay": "1s"})",
         R"(29: policies.p.retry: "delay" is 5s and must not be longer than "maxDelay", which is 1s)"},
        {R"("retry": {"multiplier": 0.5})",
         "44: policies.p.retry.multiplier: must be between 1 and 100, not 0.5"},
        {R"("retry": {"jitter": 2})",
         "40: policies.p.retry.jitter: must be between 0 and 1, not 2"},
        {R"("retry": {"on": "timeout"})", "36: policies.p.retry.on: must be a list, not text"},
        {R"("retry": {"on": ["timeout", "timeoot"]})",
         R"(48: policies.p.retry.on[1]: no error class "timeoot"; the nearest is "timeout")"},
        {R"("retry": {"when": "never"})",
         R"(38: policies.p.retry.when: must be one of "safe", "always", not "never")"},
        {R"("retry": {"budget": 3})",
         R"(40: policies.p.retry.budget: must be an object or "none", not 3)"},
        {R"("retry": {"budget": {"ratio": 0}})",
         "50: policies.p.retry.budget.ratio: must be between 0.001 and 1, not 0"},
        {R"("retry": {"budget": {"share": 1}})",
         R"(41: policies.p.retry.budget.share: unknown key; the nearest is "ratio")"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidCircuitsOfPolicies) {
    expect_policy_refusals({
        {R"("circuit": "shared")",
         R"(31: policies.p.circuit: must be an object or "none", not "shared")"},
        {R"("circuit": {"failures": 0})",
         "44: policies.p.circuit.failures: must be between 1 and 1000000, not 0"},
        {R"("circuit": {"probes": 17})",
         "42: policies.p.circuit.probes: must be between 1 and 16, not 17"},
        {R"("circuit": {"counts": "calls"})",
         R"(42: policies.p.circuit.counts: must be one of "call", "attempt", not "calls")"},
        {R"("circuit": {"on": ["5xx"]})",
         R"(39: policies.p.circuit.on[0]: no error class "5xx"; the nearest is "*")"},
        {R"("circuit": {"open": "2m", "maxOpen": "1m"})",
         R"(31: policies.p.circuit: "open" is 2m and must not be longer than "maxOpen", which is 1m)"},
        {R"("circuit": {"hint": "in {secs}"})",
         "40: policies.p.circuit.hint: unknown placeholder {secs}; the nearest is "
         "{seconds}"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidDegradation) {
    expect_policy_refusals({
        {R"("degrade": {"as": "text"})",
         R"(38: policies.p.degrade.as: must be one of "error", "result", not "text")"},
        {R"("degrade": {"texts": {"TIMEOUTS": "late"}})",
         R"(42: policies.p.degrade.texts.TIMEOUTS: is neither a failure code nor an error class; the nearest is "TIMEOUT")"},
        {R"("degrade": {"texts": {"TIMEOUT": 5}})",
         "53: policies.p.degrade.texts.TIMEOUT: must be text in double quotes, not a number"},
        {R"("degrade": {"texts": {"TIMEOUT": {"reads": "late"}}})",
         R"(54: policies.p.degrade.texts.TIMEOUT.reads: unknown key; the nearest is "read")"},
        {R"("degrade": {"texts": {"TIMEOUT": "{servr} is late"}})",
         "53: policies.p.degrade.texts.TIMEOUT: unknown placeholder {servr}; the nearest "
         "is {server}"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidExtends) {
    expect_refusals({
        {R"("policies": {"a": {"extends": "b"}})",
         R"(31: policies.a.extends: no policy "b"; the nearest is "a")"},
        {R"("policies": {"a": {"extends": "a"}})",
         R"(31: policies.a.extends: a policy cannot extend itself: "a" -> "a")"},
        {R"("policies": {"a": {"extends": "b"}, "b": {"extends": "c"}, "c": {"extends": "a"}})",
         R"(31: policies.a.extends: a policy cannot extend itself: "a" -> "b" -> "c" -> "a")"},
        {R"("policies": {"default": {"extends": "a"}, "a": {}})",
         R"(37: policies.default.extends: all policies extend "default", so it cannot extend another)"},
        {R"("policies": {"a": {"extends": 1}})",
         "31: policies.a.extends: must be text in double quotes, not a number"},
        {R"("policies": {"a": "slow"})", "19: policies.a: must be an object, not text"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidClasses) {
    expect_refusals({
        {R"("classes": [])", "12: classes: must be an object of error classes by name, not a list"},
        {R"("classes": {"c": "x"})", "18: classes.c: must be an object, not text"},
        {R"("classes": {"*": {"status": 500}})",
         R"(13: classes["*"]: "*" means all classes; choose another name)"},
        {R"("classes": {"c": {"counts": "failure"}})",
         R"(13: classes.c: no error belongs to this class; add "status", "code", "errno" or "words")"},
        {R"("classes": {"c": {"status": 99}})",
         R"(29: classes.c.status: must be a status from 400 to 599, or a range as in "500-599", not 99)"},
        {R"("classes": {"c": {"status": [500, "599-500"]}})",
         R"(35: classes.c.status: must be a status from 400 to 599, or a range as in "500-599", not "599-500")"},
        {R"("classes": {"c": {"code": "x"}})",
         R"(27: classes.c.code: must be a JSON-RPC code, or a range as in "-32099--32000", not "x")"},
        {R"("classes": {"c": {"errno": "busy"}})",
         R"(28: classes.c.errno: must be the name of an errno, as in "EBUSY", not "busy")"},
        {R"("classes": {"c": {"words": [""]}})",
         R"(29: classes.c.words: must be text that is not empty, not "")"},
        {R"("classes": {"c": {"status": 500, "retry": "yes"}})",
         R"(43: classes.c.retry: must be true, false or "throttled", not "yes")"},
        {R"("classes": {"c": {"status": 500, "counts": "no"}})",
         R"(44: classes.c.counts: must be one of "failure", "neutral", "success", not "no")"},
        {R"("classes": {"c": {"status": 500, "word": "x"}})",
         R"(34: classes.c.word: unknown key; the nearest is "words")"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidCircuits) {
    expect_refusals({
        {R"("circuits": [])", "13: circuits: must be an object of circuits by name, not a list"},
        {R"("circuits": {"c": 2})", "19: circuits.c: must be an object, not a number"},
        {R"("circuits": {"s": {}})",
         "14: circuits.s: is the name of a server and of its circuit; choose another name"},
        {R"("circuits": {"s/c": {}})",
         R"(14: circuits["s/c"]: "/" separates a server from its own circuits; choose another name)"},
        {R"("circuits": {"": {}})", R"(14: circuits[""]: a circuit needs a name)"},
        {R"("circuits": {"c": {"counts": "call"}})",
         R"(20: circuits.c.counts: unknown key; the nearest is "open")"},
        {R"("circuits": {"c": {"open": "0ms"}})",
         R"(28: circuits.c.open: must be between 1ms and 24h, not "0ms")"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidToolRules) {
    expect_refusals({
        {R"("tools": {})", "10: tools: must be a list of rules, not an object"},
        {R"("tools": ["s.t"])", "11: tools[0]: must be an object, not text"},
        {R"("tools": [{}])", R"(11: tools[0]: needs "match", the tools that the rule is for)"},
        {R"("tools": [{"match": 1}])",
         "21: tools[0].match: must be text in double quotes, or a list of such, not a number"},
        {R"("tools": [{"match": ""}])", "21: tools[0].match: must have from 1 to 512 characters"},
        {R"("tools": [{"match": "t"}])",
         R"(21: tools[0].match: "t" does not name a server; write "server.t", or "*.t" for all servers)"},
        {R"("tools": [{"match": "s.t", "policy": "p"}])", R"(38: tools[0].policy: no policy "p")"},
        {R"("tools": [{"match": "s.t", "circuit": "shared"}], "circuits": {"share": {}})",
         R"(39: tools[0].circuit: no circuit "shared"; the nearest is "share")"},
        {R"("tools": [{"match": "s.t", "readonly": true}])",
         R"(28: tools[0].readonly: unknown key; the nearest is "readOnly")"},
        {R"("tools": [{"match": "s.t", "readOnly": "yes"}])",
         R"(40: tools[0].readOnly: must be true or false, not "yes")"},
        {R"("tools": [{"match": "s.t", "alternatives": ["t"]}])",
         R"(45: tools[0].alternatives: must be a tool with its server, as in "docs.search", not "t")"},
        {R"("tools": [{"match": "s.t", "fallback": "s.*"}])",
         R"(40: tools[0].fallback: must be a tool with its server, as in "docs.search", not "s.*")"},
    });
}

TEST(PolicyRefusalTest, RejectsInvalidUseOfPresets) {
    expect_refusals({
        {R"("preset": 1)", "11: preset: must be text in double quotes, not a number"},
        {R"("preset": "upc")", R"(11: preset: no preset "upc"; the nearest is "ucp")"},
        {R"("preset": "gitnexus")",
         R"(11: preset: "gitnexus" is a preset for one server; use it in the server's entry)"},
    });
    EXPECT_EQ(table_faults_of(R"({"mcpServers": {"s": {"url": "http://h", "preset": "octocde"}}})"),
              std::vector<std::string>{
                  R"(mcp.json:1:17: server "s": no preset "octocde"; the nearest is "octocode")"});
    EXPECT_EQ(table_faults_of(R"({"mcpServers": {"s": {"url": "http://h", "policy": "slwo"}},
                                 "policies": {"slow": {}}})"),
              std::vector<std::string>{
                  R"(mcp.json:1:17: server "s": no policy "slwo"; the nearest is "slow")"});
}

TEST(PolicyRefusalTest, RejectsInvalidPresets) {
    const std::vector<Preset> broken = {
        {.name = "a", .description = "", .text = R"({"policy": {}})"},
        {.name = "b", .description = "", .text = "[]"},
        {.name = "c", .description = "", .text = R"({"tools": [{"match": "t", "circuit": "s"}]})"},
        {.name = "d", .description = "", .text = R"({"reconnect": {"delay": "${WAIT}"}})"},
    };
    const auto faults = [&](const std::string& name) {
        return table_faults_of(
            R"({"mcpServers": {"s": {"url": "http://h", "preset": ")" + name + R"("}}})", {},
            broken);
    };

    EXPECT_EQ(faults("a"),
              std::vector<std::string>{
                  "presets/a.json:1:2: policy: unknown key; the nearest is \"policies\""});
    EXPECT_EQ(faults("b"),
              std::vector<std::string>{"presets/b.json:1:1: a preset must be an object"});
    EXPECT_EQ(faults("c"),
              std::vector<std::string>{"presets/c.json:1:38: tools[0].circuit: no circuit \"s\""});
    ASSERT_EQ(faults("d").size(), 1U);
    EXPECT_TRUE(faults("d").front().starts_with("presets/d.json:1:25: reconnect.delay: "));
}

TEST(PolicyRefusalTest, ReportsAllFaultsOfAFileInOrder) {
    const auto faults = table_faults_of(R"({"mcpServers": {}, "tools": [{"match": "t"}],
        "policies": {"p": {"timeout": "x", "detail": "y"}}, "classes": {"c": {}}})");

    ASSERT_EQ(faults.size(), 4U);
    EXPECT_TRUE(faults[0].starts_with("mcp.json:1:"));
    EXPECT_NE(faults[1].find("policies.p.timeout"), std::string::npos);
    EXPECT_NE(faults[2].find("policies.p.detail"), std::string::npos);
    EXPECT_NE(faults[3].find("classes.c"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::policy
