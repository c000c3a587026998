#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

using namespace std::chrono_literals;

TEST(SectionsTest, HaveDefaults) {
    const Config config = config_of(R"({"mcpServers": {}})");

    EXPECT_EQ(config.file_name, "mcp.json");
    EXPECT_TRUE(config.agents.tokens.empty());
    EXPECT_EQ(config.name_prefix, PrefixRule::automatic);
    EXPECT_EQ(config.catalogue,
              (CatalogueConfig{.withdraw_after = 30s, .debounce = 50ms, .page_size = 1'000}));
    EXPECT_EQ(config.ask_timeout, 5min);
    EXPECT_TRUE(config.sections.empty());
    EXPECT_EQ(config.section("policies"), nullptr);
}

TEST(SectionsTest, ServerDefaultsApplyToStarts) {
    EXPECT_EQ(config_of(R"({"mcpServers": {}})").server_defaults,
              (ServerDefaults{.start_timeout = 5min, .parallel_starts = 4}));
    EXPECT_EQ(config_of(R"({"mcpServers": {}, "serverDefaults": {
                  "startTimeout": "90s", "parallelStarts": 2}})")
                  .server_defaults,
              (ServerDefaults{.start_timeout = 90s, .parallel_starts = 2}));
}

TEST(SectionsTest, LimitsAreThoseOfTheTable) {
    const Limits limits = config_of(R"({"mcpServers": {}})").limits;

    EXPECT_EQ(limits.header_block_bytes, 32'768U);
    EXPECT_EQ(limits.agent_message_bytes, 8'388'608U);
    EXPECT_EQ(limits.downstream_message_bytes, 67'108'864U);
    EXPECT_EQ(limits.json_depth, 512U);
    EXPECT_EQ(limits.all_buffers_bytes, 536'870'912U);
    EXPECT_EQ(limits.in_flight, 32U);
    EXPECT_EQ(limits.in_flight_stdio, 8U);
    EXPECT_EQ(limits.queue, 64U);
    EXPECT_EQ(limits.queue_wait, std::nullopt);
    EXPECT_EQ(limits.tools, 100'000U);
    EXPECT_EQ(limits.connections, 10'000U);
    EXPECT_EQ(limits.streams_per_session, 16U);
    EXPECT_EQ(limits.replay_events, 256U);
    EXPECT_EQ(limits.replay_bytes, 1'048'576U);
    EXPECT_EQ(limits.replay_for, 60s);
    EXPECT_EQ(limits.sessions, 10'000U);
    EXPECT_EQ(limits.session_idle, 1h);
    EXPECT_EQ(limits.circuits, 10'000U);
    EXPECT_EQ(limits.explained_calls, 10'000U);
    EXPECT_EQ(limits.stderr_bytes, 65'536U);
    EXPECT_EQ(limits.parked_calls, 1'000U);
    EXPECT_EQ(limits.parked_for, 5min);
}

TEST(SectionsTest, EveryLimitIsAKey) {
    const Limits limits = config_of(R"({"mcpServers": {}, "limits": {
        "headerBlock": "16kB", "agentMessage": "1MB", "downstreamMessage": 2097152,
        "jsonDepth": 17, "allBuffers": "1GB", "inFlight": 2, "inFlightStdio": 3, "queue": 0,
        "queueWait": "6s", "tools": 5, "connections": 6, "streamsPerSession": 7, "replayEvents": 8,
        "replayBytes": "9kB", "replayFor": "10s", "sessions": 11, "sessionIdle": "12m",
        "circuits": 13, "explainedCalls": 14, "stderr": "15kB", "parkedCalls": 16,
        "parkedFor": "17s"}})")
                              .limits;

    EXPECT_EQ(limits, (Limits{.header_block_bytes = 16'384,
                              .agent_message_bytes = 1'048'576,
                              .downstream_message_bytes = 2'097'152,
                              .json_depth = 17,
                              .all_buffers_bytes = 1'073'741'824,
                              .in_flight = 2,
                              .in_flight_stdio = 3,
                              .queue = 0,
                              .queue_wait = 6s,
                              .tools = 5,
                              .connections = 6,
                              .streams_per_session = 7,
                              .replay_events = 8,
                              .replay_bytes = 9'216,
                              .replay_for = 10s,
                              .sessions = 11,
                              .session_idle = 12min,
                              .circuits = 13,
                              .explained_calls = 14,
                              .stderr_bytes = 15'360,
                              .parked_calls = 16,
                              .parked_for = 17s}));
}

TEST(SectionsTest, AreRead) {
    const Config config = config_of(R"({"mcpServers": {},
        "agents": {"tokens": {"alice": "${T}", "bob": "the-token-of-bob"}, "origins": ["https://app.example"],
                   "hosts": ["gateway.example", "[::1]:7332"]},
        "names": {"prefix": "always"},
        "catalogue": {"withdrawAfter": "0s", "debounce": "10ms", "pageSize": 50},
        "ask": {"timeout": "1m"},
        "policies": {"default": {"timeout": "90s", "attemptTimeout": "20s", "detail": "debug"}}})",
                                    {{"T", "the-token-of-alice"}});

    EXPECT_EQ(config.agents.tokens,
              (std::vector<NamedText>{{.name = "alice", .value = "the-token-of-alice"},
                                      {.name = "bob", .value = "the-token-of-bob"}}));
    EXPECT_EQ(config.agents.origins, std::vector<std::string>{"https://app.example"});
    EXPECT_EQ(config.agents.hosts, (std::vector<std::string>{"gateway.example", "[::1]:7332"}));
    EXPECT_EQ(config.name_prefix, PrefixRule::always);
    EXPECT_EQ(config.catalogue,
              (CatalogueConfig{.withdraw_after = 0s, .debounce = 10ms, .page_size = 50}));
    EXPECT_EQ(config.ask_timeout, 1min);
    EXPECT_EQ(config.section("policies")->find("default")->find("detail")->text, "debug");
}

TEST(SectionsTest, PagesAndInsecureHttp) {
    const Config plain = config_of(R"({"mcpServers": {}})");
    const Config open =
        config_of(R"({"mcpServers": {}, "agents": {"pages": "loopback", "insecureHttp": true}})");

    EXPECT_EQ(plain.agents.pages, PageRule::listed);
    EXPECT_FALSE(plain.agents.allows_insecure_http);
    EXPECT_EQ(open.agents.pages, PageRule::loopback);
    EXPECT_TRUE(open.agents.allows_insecure_http);
}

TEST(SectionsTest, LocalUsersAreARuleOrAList) {
    const auto local_of = [](const std::string& value) {
        return config_of(R"({"mcpServers": {}, "agents": {"local": )" + value + "}}").agents.local;
    };

    EXPECT_EQ(config_of(R"({"mcpServers": {}})").agents.local.rule, LocalRule::same_user);
    EXPECT_EQ(local_of(R"("same-user")").rule, LocalRule::same_user);
    EXPECT_EQ(local_of(R"("any")").rule, LocalRule::any);
    EXPECT_EQ(local_of(R"("none")").rule, LocalRule::none);
    EXPECT_EQ(local_of(R"(["user:bob", "group:27"])"),
              (LocalUsers{.rule = LocalRule::listed, .names = {"user:bob", "group:27"}}));
    EXPECT_EQ(local_of("[]"), (LocalUsers{.rule = LocalRule::listed}));
}

TEST(SectionsTest, OfOtherModulesAreKeptWithTheirPlaces) {
    const Config config = config_of(R"({"mcpServers": {},
  "preset": "ucp", "classes": {}, "circuits": {"x": {"anything": [1]}}, "tools": [],
  "surface": {"mode": "auto"}, "admin": {"http": "127.0.0.1:7333"}, "telemetry": null,
  "search": true})");

    EXPECT_EQ(config.sections.size(), 8U);
    EXPECT_EQ(config.section("preset")->text, "ucp");
    EXPECT_EQ(config.section("circuits")->find("x")->place, (Place{.line = 2, .column = 53}));
    EXPECT_EQ(config.section("admin")->find("http")->text, "127.0.0.1:7333");
    EXPECT_EQ(config.section("telemetry")->kind, NodeKind::null);
}

TEST(SectionsTest, AFileWithAllOfThemIsValid) {
    std::ifstream file{std::string{HOLDFAST_CONFIG_CORPUS} + "/design.jsonc"};
    const std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    const Variables variables = {
        {"DOCS_TOKEN", "docs-1"}, {"TAB_TOKEN", "tab-12"}, {"ALICE_TOKEN", "the-token-of-alice"}};

    EXPECT_EQ(config_of(text, variables).servers.size(), 5U);
    EXPECT_TRUE(warnings_of(text, variables).empty());
}

TEST(SectionsTest, WarnOfAFileWithoutServers) {
    EXPECT_EQ(warnings_of("{}"),
              std::vector<std::string>{"mcp.json:1:1: the file has no \"mcpServers\", so there "
                                       "are no tools to call"});
}

}  // namespace
}  // namespace holdfast::config
