// An unusable variable or document skips only the servers that need it.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr AgentLeg kHttp = kAgentLegs[1];

// Agents see the status only of a gateway with an admin listener.
const std::string kAdmin = R"("admin":{"http":"127.0.0.1:0"})";

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

/// Returns a fixture server with additional keys in its entry.
std::string fixture_with(const std::string& keys) {
    return "{" + keys + "," + Scene::stdio_entry({"--stdio", "--era", "legacy"}).substr(1);
}

class SkippedServer : public testing::Test {
protected:
    SkippedServer() { scene.add_section(kAdmin); }

    [[nodiscard]] std::string file() const { return scene.folder() / "config.json"; }
    /// Writes a config with these entries of `mcpServers` and additional sections.
    void write(const std::string& servers, const std::string& sections = {}) const {
        write_file(file(), R"({"surface":{"mode":"all"},)" + kAdmin + "," + sections +
                               R"("mcpServers":{)" + servers + "}}");
    }
    [[nodiscard]] FinishedProcess check(std::vector<std::string> variables = {}) const {
        const char* binary = std::getenv("HOLDFAST_BINARY");
        variables.insert(variables.begin(), "/usr/bin/env");
        for (const std::string& argument :
             {std::string{binary == nullptr ? "" : binary}, std::string{"check"},
              std::string{"--config"}, file()}) {
            variables.push_back(argument);
        }
        return run_process(std::move(variables));
    }
    [[nodiscard]] FinishedProcess status() const {
        const char* binary = std::getenv("HOLDFAST_BINARY");
        return run_process({"/usr/bin/env", "XDG_RUNTIME_DIR=" + scene.folder().path(),
                            binary == nullptr ? "" : binary, "status"});
    }
    [[nodiscard]] TestAgent opened_agent() {
        TestAgent agent = scene.agent(kHttp);
        EXPECT_TRUE(agent.open());
        return agent;
    }
    [[nodiscard]] static std::string status_in(TestAgent& agent) {
        return plain_text(
            member_text(agent.request(tool_call("gateway_status", R"({"details":true})")), "text"));
    }
    /// Waits for the words, because a reload writes to the log before the status shows its outcome.
    static void expect_status(TestAgent& agent, const std::string& words) {
        std::string status;
        EXPECT_TRUE(eventually([&] {
            status = status_in(agent);
            return says(status, words);
        })) << status;
    }

    Scene scene;
};

TEST_F(SkippedServer, AnUnsetVariableSkipsOneServerAndTheOthersWork) {
    scene.add_server("needy", fixture_with(R"("env":{"T":"${HOLDFAST_TEST_UNSET}"})"));
    scene.add_server("plain", fixture_with(R"("session":"shared")"));
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened_agent();

    EXPECT_TRUE(agent.finds_tool("echo"));
    const std::string status = status_in(agent);
    EXPECT_TRUE(says(status, "skipped")) << status;
    EXPECT_TRUE(says(status, "the variable HOLDFAST_TEST_UNSET is not set")) << status;
    const FinishedProcess shown = this->status();
    EXPECT_EQ(shown.exit_code, 1) << shown.out;
    EXPECT_TRUE(says(shown.out, "the variable HOLDFAST_TEST_UNSET is not set")) << shown.out;
    EXPECT_EQ(scene.gateway().stop(), 0);
    const std::string& log = scene.gateway().program().all_error_text();
    EXPECT_TRUE(says(log, "server \"needy\" skipped: ")) << log;
}

TEST_F(SkippedServer, CheckShowsItAndFails) {
    write(R"("needy":)" + fixture_with(R"("timeout":"${HOLDFAST_TEST_TIME}")") + R"(,"plain":)" +
          fixture_with(R"("session":"shared")"));

    const FinishedProcess bad = check({"HOLDFAST_TEST_TIME=soon"});
    const FinishedProcess good = check({"HOLDFAST_TEST_TIME=7"});

    EXPECT_EQ(bad.exit_code, 1) << bad.errors;
    EXPECT_TRUE(says(bad.out, "needy  skipped ")) << bad.out;
    EXPECT_TRUE(says(bad.out, R"(the variable HOLDFAST_TEST_TIME is "soon"; expected seconds)"))
        << bad.out;
    EXPECT_TRUE(says(bad.out, "plain  ready ")) << bad.out;
    EXPECT_EQ(good.exit_code, 0) << good.out << good.errors;
}

TEST_F(SkippedServer, TheGatewayStartsWithEveryServerSkipped) {
    scene.add_server("one", fixture_with(R"("env":{"T":"${HOLDFAST_TEST_UNSET}"})"));
    scene.add_server("two", R"({"url":"${HOLDFAST_TEST_UNSET}"})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened_agent();

    EXPECT_TRUE(agent.finds_tool("gateway_status"));
    EXPECT_EQ(check().exit_code, 1);
}

TEST_F(SkippedServer, AReferenceOutsideTheServersIsAnErrorOfTheWholeConfig) {
    for (const std::string section :
         {R"("policies":{"default":{"timeout":"${HOLDFAST_TEST_UNSET}"}},)",
          R"("agents":{"tokens":{"alice":"${HOLDFAST_TEST_UNSET}"}},)",
          R"("search":{"embedder":"${HOLDFAST_TEST_UNSET}"},)"}) {
        write(R"("plain":)" + fixture_with(R"("session":"shared")"), section);

        const FinishedProcess process = check();

        EXPECT_EQ(process.exit_code, 3) << section << process.out;
        EXPECT_TRUE(says(process.errors, "HOLDFAST_TEST_UNSET is not set")) << process.errors;
    }
}

TEST_F(SkippedServer, AnErrorInTheFileItselfIsAnErrorOfTheWholeConfig) {
    write(R"("plain":)" + fixture_with(R"("timeout":"soon")"));

    EXPECT_EQ(check().exit_code, 3);
}

TEST_F(SkippedServer, RulesForTheCircuitsOfItsPresetStayValid) {
    const std::string rule = R"("tools":[{"match":"code.echo","circuit":"github:search"}],)"
                             R"("policies":{"lsp":{"retry":{"on":["lspNotReady"]}}},)";
    for (const std::string keys :
         {R"("preset":"octocode","timeout":"${HOLDFAST_TEST_VALUE}")",
          R"("preset":"octocode","cwd":"${HOLDFAST_TEST_UNSET}")",
          R"("preset":"${HOLDFAST_TEST_VALUE}")", R"("preset":"${HOLDFAST_TEST_UNSET}")"}) {
        write(R"("code":)" + fixture_with(keys) + R"(,"plain":)" +
                  fixture_with(R"("session":"shared")"),
              rule);

        const FinishedProcess process = check({"HOLDFAST_TEST_VALUE=nonsense"});

        EXPECT_EQ(process.exit_code, 1) << keys << process.errors;
        EXPECT_TRUE(says(process.out, "code   skipped ")) << process.out;
        EXPECT_TRUE(says(process.out, "plain  ready ")) << process.out;
    }
}

TEST_F(SkippedServer, AVariableThatContradictsTheEntrySkipsIt) {
    for (const std::string keys :
         {R"("policy":"${HOLDFAST_TEST_NAME}")",
          R"("reconnect":{"delay":"${HOLDFAST_TEST_TIME}","maxDelay":"5s"})",
          R"("circuits":{"needy":{"open":"${HOLDFAST_TEST_TIME}","maxOpen":"5s"}})"}) {
        write(R"("needy":)" + fixture_with(keys) + R"(,"plain":)" +
              fixture_with(R"("session":"shared")"));

        const FinishedProcess process =
            check({"HOLDFAST_TEST_NAME=nonsense", "HOLDFAST_TEST_TIME=9"});

        EXPECT_EQ(process.exit_code, 1) << keys << process.errors;
        EXPECT_TRUE(says(process.out, "needy  skipped ")) << process.out;
        EXPECT_TRUE(says(process.out, "plain  ready ")) << process.out;
    }
}

TEST_F(SkippedServer, ADocumentThatCannotBeReadSkipsItsServer) {
    write(R"("api":{"type":"rest","url":"http://127.0.0.1:9","openapi":"missing.json"},"plain":)" +
          fixture_with(R"("session":"shared")"));

    const FinishedProcess process = check();

    EXPECT_EQ(process.exit_code, 1) << process.errors;
    EXPECT_TRUE(says(process.out, "skipped ")) << process.out;
    EXPECT_TRUE(says(process.out, "the file cannot be read")) << process.out;
    EXPECT_TRUE(says(process.out, "plain  ready ")) << process.out;
}

TEST_F(SkippedServer, ADisabledServerNeedsNoVariables) {
    write(R"("off":)" + fixture_with(R"("disabled":true,"env":{"T":"${HOLDFAST_TEST_UNSET}"})") +
          R"(,"plain":)" + fixture_with(R"("session":"shared")"));

    const FinishedProcess process = check();

    EXPECT_EQ(process.exit_code, 0) << process.errors;
    EXPECT_TRUE(says(process.out, "disabled")) << process.out;
}

TEST_F(SkippedServer, AServerThatRunsKeepsItsPreviousEntryOnReload) {
    scene.add_server("one", fixture_with(R"("session":"shared")"));
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened_agent();
    ASSERT_TRUE(agent.finds_tool("call_count"));
    ASSERT_EQ(agent.call("call_count"), "1");
    Program& gateway = scene.gateway().program();

    for (const std::string calls : {"2", "3"}) {
        write(R"("one":)" +
              fixture_with(R"("session":"shared","cwd":"${HOLDFAST_TEST_UNSET)" + calls + "}\""));
        gateway.send(SIGHUP);
        ASSERT_NE(gateway.rest_of_error_line(R"(server "one" keeps its previous entry: )"), "");
        expect_status(agent, "HOLDFAST_TEST_UNSET" + calls + " is not set");
        EXPECT_EQ(agent.call("call_count"), calls) << "it is another process";
    }

    write(R"("one":)" + fixture_with(R"("session":"shared")"));
    gateway.send(SIGHUP);
    ASSERT_NE(gateway.rest_of_error_line("config reloaded: "), "");
    EXPECT_EQ(agent.call("call_count"), "4");
    EXPECT_TRUE(eventually([&] { return !says(status_in(agent), "is not set"); }));
}

TEST_F(SkippedServer, AServerThatRunsKeepsItsPreviousEntryWhenACredentialIsGone) {
    const std::string key = scene.folder() / "vault.key";
    write_file(key, "first");
    const std::string url = scene.start_fixture(kServerLegs[1]);
    const auto vault = [&url](const std::string& path) {
        return R"({"type":"http","url":")" + url + R"(","credentials":[{"from":{"file":")" + path +
               R"("},"as":{"header":"Authorization","prefix":"Bearer "}}]})";
    };
    scene.add_server("vault", vault(key));
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened_agent();
    ASSERT_TRUE(agent.finds_tool("shown_credential"));
    ASSERT_EQ(agent.call("shown_credential"), "Bearer first");

    write(R"("vault":)" + vault(scene.folder() / "missing.key"));
    scene.gateway().program().send(SIGHUP);

    ASSERT_NE(scene.gateway().program().rest_of_error_line(
                  R"(server "vault" keeps its previous entry: )"),
              "");
    expect_status(agent, "missing.key");
    EXPECT_EQ(agent.call("shown_credential"), "Bearer first");
}

using GitNexusVariables = SkippedServer;

TEST_F(GitNexusVariables, AnInvalidValueSkipsOnlyTheServersOfThePreset) {
    scene.add_server("graph", fixture_with(R"("preset":"gitnexus")"));
    scene.add_server("plain", fixture_with(R"("session":"shared")"));
    ASSERT_TRUE(scene.start({}, {"GITNEXUS_TIMEOUT_QUICK=soon"}));
    TestAgent agent = opened_agent();

    EXPECT_TRUE(agent.finds_tool("echo"));
    const std::string status = status_in(agent);
    EXPECT_TRUE(says(status, "skipped")) << status;
    EXPECT_EQ(scene.gateway().stop(), 0);
    const std::string& log = scene.gateway().program().all_error_text();
    EXPECT_TRUE(says(log, R"(the variable GITNEXUS_TIMEOUT_QUICK is "soon"; expected seconds)"))
        << log;
}

TEST_F(GitNexusVariables, CommonSpellingsAreAccepted) {
    write(R"("graph":)" + fixture_with(R"("preset":"gitnexus")"));

    const FinishedProcess good = check(
        {"GITNEXUS_TIMEOUT_QUICK= 1500ms ", "GITNEXUS_TIMEOUT_HEAVY=7200", "GITNEXUS_DEBUG=Yes"});

    EXPECT_EQ(good.exit_code, 0) << good.out << good.errors;
    EXPECT_TRUE(says(good.errors, "GITNEXUS_TIMEOUT_HEAVY is \"7200\", more than 3600 s"))
        << good.errors;
}

using CommonTraceVariables = SkippedServer;

TEST_F(CommonTraceVariables, OneLineNamesTheCommonVariablesInUse) {
    write(R"("traces":{"type":"rest","preset":"commontrace"})");

    const FinishedProcess process =
        check({"COMMONTRACE_API_KEY=key-of-the-gateway", "READ_TIMEOUT=0.5",
               "API_BASE_URL= http://127.0.0.1:9 ", "COMMONTRACE_WRITE_TIMEOUT=3",
               "WRITE_TIMEOUT=nonsense"});

    const std::string begin = "holdfast: using variables with common names: ";
    const std::size_t line = process.errors.find(begin);
    ASSERT_NE(line, std::string::npos) << process.errors;
    const std::string names = process.errors.substr(line, process.errors.find('\n', line) - line);
    EXPECT_TRUE(says(names, "READ_TIMEOUT (COMMONTRACE_READ_TIMEOUT is not set)")) << names;
    EXPECT_TRUE(says(names, "API_BASE_URL (COMMONTRACE_API_BASE_URL is not set)")) << names;
    EXPECT_FALSE(says(names, "WRITE_TIMEOUT")) << names;
    EXPECT_EQ(process.errors.find(begin, line + 1), std::string::npos) << process.errors;
}

TEST_F(CommonTraceVariables, AnInvalidBaseUrlSkipsTheServer) {
    write(R"("traces":{"type":"rest","preset":"commontrace"})");

    const FinishedProcess process =
        check({"COMMONTRACE_API_KEY=key-of-the-gateway", "COMMONTRACE_API_BASE_URL=nonsense"});

    EXPECT_EQ(process.exit_code, 1) << process.errors;
    EXPECT_TRUE(says(process.out, "traces  skipped ")) << process.out;
}

}  // namespace
}  // namespace holdfast::test
