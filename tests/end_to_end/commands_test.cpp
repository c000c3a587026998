// The commands that inspect a config or a gateway, as a person types them.

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

FinishedProcess run(std::vector<std::string> arguments) {
    const char* binary = std::getenv("HOLDFAST_BINARY");
    arguments.insert(arguments.begin(), binary == nullptr ? "" : binary);
    return run_process(std::move(arguments));
}

/// Runs a line of a shell in which "$0" is the program, with folders of its own.
FinishedProcess run_line(const std::string& line, const TemporaryFolder& folder) {
    const char* binary = std::getenv("HOLDFAST_BINARY");
    return run_process({"/usr/bin/env", "XDG_CONFIG_HOME=" + (folder / "config"),
                        "XDG_CACHE_HOME=" + (folder / "cache"), "/bin/sh", "-c", line,
                        binary == nullptr ? "" : binary});
}

class CommandsTest : public testing::Test {
protected:
    /// Writes a config with these entries of `mcpServers`, and returns its path.
    [[nodiscard]] std::string config_of(const std::string& servers) const {
        write_file(file_, R"({"mcpServers":{)" + servers + "}}");
        return file_;
    }
    static std::string fixture(const std::string& name, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"--stdio", "--era", "legacy"});
        return "\"" + name + "\":" + Scene::stdio_entry(more);
    }
    static std::string shell(const std::string& name, const std::string& script) {
        return "\"" + name + R"(":{"command":"sh","args":["-c",")" + script + "\"]}";
    }
    /// A server that answers every tools/list with this member of a response, or not at all.
    [[nodiscard]] std::string lister(const std::string& name, const std::string& member) const {
        const std::string script = folder_ / "lister.sh";
        write_file(script, R"(while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) member=$(cat "$1.ready") ;;
    *'"tools/list"'*) member=$(cat "$1.list"); [ -n "$member" ] || continue ;;
    *'"id":'*) member='"error":{"code":-32601,"message":"unknown"}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$member"
done
)");
        write_file(folder_ / (name + ".ready"),
                   R"("result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                   R"("serverInfo":{"name":"x","version":"1"}})");
        write_file(folder_ / (name + ".list"), member);
        return "\"" + name + R"(":{"command":"sh","args":[")" + script + R"(",")" +
               (folder_ / name) + R"("],"env":{"API_TOKEN":"hush-hush-hush"}})";
    }

    TemporaryFolder folder_;

private:
    const std::string file_ = folder_ / "servers.json";
};

TEST_F(CommandsTest, ListsThePresets) {
    const FinishedProcess process = run({"presets"});

    EXPECT_EQ(process.exit_code, 0);
    for (const std::string_view preset : {"commontrace", "gitnexus", "octocode", "ucp"}) {
        EXPECT_TRUE(says(process.out, preset)) << process.out;
    }
    EXPECT_TRUE(says(run({"presets", "--json"}).out, R"({"name":"ucp","for":"gateway",)"));
    EXPECT_TRUE(says(run({"presets", "ucp"}).out, R"("for": "gateway")"));
}

TEST_F(CommandsTest, CheckShowsWhatEachServerOffers) {
    const std::string config = config_of(fixture("one", {"--broken-schema-tool"}));

    const FinishedProcess process = run({"check", "--config", config});

    EXPECT_EQ(process.exit_code, 0) << process.errors;
    EXPECT_TRUE(says(process.out, "one  ready  2025-11-25  ")) << process.out;
    EXPECT_TRUE(says(process.out, R"(warning: tool "broken_schema": arguments are not validated)"))
        << process.out;
}

TEST_F(CommandsTest, CheckShowsWhatIsWrong) {
    const std::string config =
        config_of(fixture("one") + "," + shell("bad", "echo no luck >&2; exit 3"));

    const FinishedProcess process = run({"check", "--config", config});
    const FinishedProcess json = run({"check", "--config", config, "--json"});

    EXPECT_EQ(process.exit_code, 1);
    EXPECT_TRUE(says(process.out, "one  ready ")) << process.out;
    EXPECT_TRUE(says(process.out, "the program ended with code 3; it logged: no luck"))
        << process.out;
    EXPECT_TRUE(says(process.out, "bad: no luck\n")) << process.out;
    EXPECT_EQ(json.exit_code, 1);
    EXPECT_TRUE(json.out.starts_with(R"({"ok":false,"config":[],"servers":[{"name":"one",)"))
        << json.out;
    EXPECT_TRUE(says(json.out, R"("log":["no luck"])")) << json.out;
}

TEST_F(CommandsTest, CheckReportsAnApiWithoutItsCredential) {
    const auto api = [](const std::string& name, const std::string& credential) {
        return "\"" + name +
               R"(":{"type":"rest","url":"http://127.0.0.1:1","tools":[{"name":"t",)"
               R"("method":"GET","path":"/t"}],"credentials":[)" +
               credential + "]}";
    };
    const std::string config = config_of(
        api("keyless", R"({"from":{"env":"NO_SUCH_KEY"},"as":{"header":"X-Key"},)"
                       R"("missing":"Set NO_SUCH_KEY."})") +
        "," +
        api("optional",
            R"({"from":{"env":"NO_SUCH_KEY"},"as":{"header":"X-Key"},"required":false})"));

    const FinishedProcess check = run({"check", "--config", config});

    EXPECT_EQ(check.exit_code, 1) << check.out << check.errors;
    EXPECT_TRUE(says(check.out, "keyless   no credential  ")) << check.out;
    EXPECT_TRUE(says(check.out, "Set NO_SUCH_KEY.")) << check.out;
    EXPECT_TRUE(says(check.out, "optional  ready ")) << check.out;
}

TEST_F(CommandsTest, CheckShowsWhichListIsUnavailable) {
    std::string deep = "1";
    for (int level = 0; level < 800; ++level) {
        deep = R"({"a":)" + deep + "}";
    }
    const std::string config = config_of(
        lister("angry", R"("error":{"code":-32603,"message":"db down, hush-hush-hush"})") + "," +
        lister("mute", "") + "," + lister("none", R"("result":{"tools":null})") + "," +
        lister("deep", R"("result":{"tools":[{"name":"t","inputSchema":)" + deep + "}]}") + "," +
        lister("well", R"("result":{"tools":[]})"));

    const FinishedProcess process = run({"check", "--config", config, "--wait", "5s"});

    EXPECT_EQ(process.exit_code, 1) << process.errors;
    for (const std::string_view server : {"angry", "none ", "deep "}) {
        EXPECT_TRUE(
            says(process.out,
                 std::string{server} + "  incomplete  2025-11-25  tools/list failed: The server"))
            << process.out;
    }
    EXPECT_TRUE(says(process.out, "-32603: db down, [redacted].\n")) << process.out;
    EXPECT_FALSE(says(process.out, "hush")) << process.out;
    EXPECT_TRUE(says(process.out, "levels of nesting")) << process.out;
    EXPECT_TRUE(
        says(process.out, "mute   not ready   2025-11-25  It is connected, and did not list"))
        << process.out;
    EXPECT_TRUE(says(process.out, "well   ready ")) << process.out;
}

TEST_F(CommandsTest, CheckSaysThatAConfigHasNoServers) {
    const std::string config = config_of("");

    const FinishedProcess process = run({"check", "--config", config});

    EXPECT_EQ(process.exit_code, 0) << process.errors;
    EXPECT_EQ(process.out, "no servers in " + config +
                               "; add one to \"mcpServers\", or import those of your editors with "
                               "\"holdfast import\"\n");
    EXPECT_TRUE(says(run({"check", "--config", config, "--json"}).out, R"("servers":[])"));
}

TEST_F(CommandsTest, CheckEndsItsServersAfterTheTimeout) {
    const std::string pid_file = folder_ / "pid";
    const std::string config =
        config_of(shell("slow", "echo $$ > " + pid_file + "; exec sleep 100"));

    const FinishedProcess process = run({"check", "--config", config, "--wait", "500ms"});

    EXPECT_EQ(process.exit_code, 1);
    EXPECT_TRUE(says(process.out, "slow  not ready ")) << process.out;
    const pid_t pid = std::stoi(content_of_file(pid_file));
    EXPECT_EQ(::kill(pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST_F(CommandsTest, CheckReportsAllFaultsOfAConfig) {
    const std::string config = folder_ / "wrong.json";
    write_file(config, "{\"mcpServers\":{\n\"a\":{\"comand\":\"x\"}},\n\"polices\":{}}");

    const FinishedProcess process = run({"check", "--config", config});
    const FinishedProcess json = run({"check", "--config", config, "--json"});

    EXPECT_EQ(process.exit_code, 3);
    EXPECT_TRUE(says(process.errors, "wrong.json:2:")) << process.errors;
    EXPECT_TRUE(says(process.errors, "wrong.json:3:1: polices")) << process.errors;
    EXPECT_TRUE(says(process.errors, R"("policies")")) << process.errors;
    EXPECT_EQ(json.exit_code, 3);
    EXPECT_TRUE(says(json.out, "wrong.json:3:1: polices")) << json.out;
    EXPECT_EQ(json.errors, "");
}

TEST_F(CommandsTest, NamesThePlaceOfAnErrorInAConfigAndWhatToWrite) {
    const std::string file = folder_ / "bad.json";
    const std::vector<std::pair<std::string, std::string>> configs{
        {"{\"mcpServers\": {\n  \"a\": {\"command\" \"x\"}}}",
         ":2:19: expected \":\" after the key"},
        {R"({"mcpServers": {}, "limits": {"jsonDept": 20}})",
         R"(:1:31: limits.jsonDept: unknown key; the nearest is "jsonDepth")"},
        {R"({"mcpServers": {}, "catalogue": {"gather": "1s"}})",
         R"(:1:34: catalogue.gather: removed key; use "debounce")"},
        {R"({"mcpServers": {}, "policies": {"p": {"retry": {"attempt": 2}}}})",
         R"(:1:49: policies.p.retry.attempt: unknown key; the nearest is "attempts")"}};
    for (const auto& [config, message] : configs) {
        write_file(file, config);
        for (const std::string_view command : {"check", "serve"}) {
            const FinishedProcess process = run({std::string{command}, "--config", file});
            EXPECT_EQ(process.exit_code, 3) << command << " " << config;
            EXPECT_TRUE(says(process.errors, file + message)) << process.errors;
        }
    }
}

TEST_F(CommandsTest, IgnoresAnUnknownKeyOfAServerWithAWarning) {
    std::string server = fixture("one");
    server.insert(server.size() - 1, R"(,"comand":"x")");

    const FinishedProcess process = run({"check", "--config", config_of(server)});

    EXPECT_EQ(process.exit_code, 0) << process.errors;
    EXPECT_TRUE(says(process.errors,
                     R"(mcpServers.one.comand: unknown key, ignored; did you mean "command"?)"))
        << process.errors;
}

TEST_F(CommandsTest, ListsAndCallsTheToolsOfAConfig) {
    const std::string config = config_of(fixture("one") + "," + fixture("two"));

    const FinishedProcess tools = run({"tools", "--config", config});
    const FinishedProcess called =
        run({"call", "two__echo", R"({"text":"a\nb"})", "--config", config});

    EXPECT_EQ(tools.exit_code, 0) << tools.errors;
    EXPECT_TRUE(says(tools.out, "\none__echo ")) << tools.out;
    EXPECT_TRUE(says(tools.out, "\ntwo__echo ")) << tools.out;
    EXPECT_EQ(called.exit_code, 0) << called.errors;
    EXPECT_EQ(called.out, "a\nb\n");
}

TEST_F(CommandsTest, FailsIfNoServerOfTheConfigWorks) {
    const std::string dead = shell("dead", "exit 1");

    const FinishedProcess none = run({"tools", "--config", config_of(dead)});
    const FinishedProcess one = run({"tools", "--config", config_of(dead + "," + fixture("one"))});

    EXPECT_EQ(none.exit_code, 1) << none.out;
    EXPECT_TRUE(says(none.errors, R"(server "dead" cannot be used)")) << none.errors;
    EXPECT_EQ(one.exit_code, 0) << one.errors;
}

TEST_F(CommandsTest, RepeatsArgumentsInHeadersForToolsThatNeedIt) {
    const std::string config = config_of(fixture("one"));

    const FinishedProcess called =
        run({"call", "test_x_mcp_header", R"({"region":"é","level":3})", "--config", config});

    EXPECT_EQ(called.exit_code, 0) << called.errors;
}

TEST_F(CommandsTest, ReportsAFailedCall) {
    const std::string config = config_of(fixture("one"));

    const FinishedProcess failed = run({"call", "test_error_handling", "--config", config});
    const FinishedProcess unknown = run({"call", "ecoh", "{}", "--config", config});
    const FinishedProcess wrong = run({"call", "echo", "[1]", "--config", config});

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_EQ(failed.out, "");
    EXPECT_NE(failed.errors, "");
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_TRUE(says(unknown.errors, "echo")) << unknown.errors;
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_TRUE(says(wrong.errors, "one JSON object")) << wrong.errors;
}

TEST_F(CommandsTest, UsesARunningGateway) {
    Scene scene;
    scene.add_fixture("one", kServerLegs[4], {"--tools", "2500"});
    scene.add_section(
        R"("agents":{"tokens":{"ada":"the-token-of-ada"}},"catalogue":{"pageSize":500})");
    ASSERT_TRUE(scene.start());
    const std::string url = "http://127.0.0.1:" + std::to_string(scene.port()) + "/mcp";

    const FinishedProcess tools =
        run({"tools", "--url", url, "--token", "the-token-of-ada", "--json"});
    const FinishedProcess called = run(
        {"call", "echo", R"({"text":"x"})", "--url", url, "--token", "the-token-of-ada", "--json"});
    const FinishedProcess stranger = run({"tools", "--url", url});

    EXPECT_EQ(tools.exit_code, 0) << tools.errors;
    std::size_t count = 0;
    for (std::size_t at = tools.out.find(R"({"name":)"); at != std::string::npos;
         at = tools.out.find("\n{\"name\":", at + 1)) {
        ++count;
    }
    EXPECT_GE(count, 2'500U);
    EXPECT_EQ(called.exit_code, 0) << called.errors;
    EXPECT_EQ(member_text(called.out, "text"), "\"x\"") << called.out;
    EXPECT_EQ(stranger.exit_code, 1);
    EXPECT_TRUE(says(stranger.errors, "--token")) << stranger.errors;
}

TEST_F(CommandsTest, FindsTheRunningGatewayOfThisUser) {
    Scene scene;
    scene.add_fixture("one", kServerLegs[4]);
    scene.add_section(R"("admin":{"http":"127.0.0.1:0"})");
    ASSERT_TRUE(scene.start());
    const auto run_here = [&](const std::string& line) {
        return run_line("XDG_RUNTIME_DIR='" + scene.folder().path() + "' exec \"$0\" " + line,
                        folder_);
    };
    constexpr int kExitNoGateway = 4;
    ASSERT_TRUE(eventually([&] { return run_here("status").exit_code != kExitNoGateway; }));

    const FinishedProcess tools = run_here("tools");
    const FinishedProcess called = run_here(R"(call echo '{"text":"x"}')");
    const FinishedProcess found = run_here("search echo");

    EXPECT_EQ(tools.exit_code, 0) << tools.errors;
    EXPECT_TRUE(says(tools.out, "echo ")) << tools.out;
    EXPECT_EQ(called.exit_code, 0) << called.errors;
    EXPECT_EQ(called.out, "x\n");
    EXPECT_EQ(found.exit_code, 0) << found.errors;
}

TEST_F(CommandsTest, FailsIfItsOutputCannotBeWritten) {
    const std::string config = config_of(fixture("one"));
    const std::string with_config = " --config " + config;
    for (const std::string& arguments :
         {std::string{"--version"}, std::string{"--help"}, std::string{"version"},
          std::string{"version --json"}, std::string{"check --help"}, std::string{"presets"},
          std::string{"presets ucp"}, std::string{"config schema"}, std::string{"init"},
          "import --dry-run --client cursor " + config, "check" + with_config,
          "check --json" + with_config, "tools" + with_config,
          "call echo '{\"text\":\"x\"}'" + with_config, "search echo" + with_config}) {
        const FinishedProcess process =
            run_line("exec \"$0\" " + arguments + " > /dev/full", folder_);

        EXPECT_EQ(process.exit_code, 1) << arguments;
        EXPECT_TRUE(process.errors.ends_with(
            "holdfast: cannot write to standard output: No space left on device\n"))
            << arguments << ": " << process.errors;
    }
}

TEST_F(CommandsTest, KeepsTheExitCodeOfAFailureWhoseOutputCannotBeWritten) {
    const std::string config = folder_ / "wrong.json";
    write_file(config, "{");

    const FinishedProcess process =
        run_line("exec \"$0\" check --json --config " + config + " > /dev/full", folder_);

    EXPECT_EQ(process.exit_code, 3) << process.errors;
    EXPECT_TRUE(says(process.errors, "No space left on device")) << process.errors;
}

TEST_F(CommandsTest, EndsQuietlyWhenItsReaderIsGone) {
    const std::string config = config_of(fixture("one", {"--tools", "2500"}));
    for (const std::string& arguments :
         {std::string{"config schema"}, "tools --json --config " + config}) {
        const FinishedProcess process = run_line("\"$0\" " + arguments + " | head -c 10", folder_);

        EXPECT_EQ(process.exit_code, 0) << arguments;
        EXPECT_EQ(process.out.size(), 10U) << process.out;
        EXPECT_EQ(process.errors, "") << arguments;
    }
}

TEST_F(CommandsTest, ReportsThatNoGatewayAnswers) {
    const FinishedProcess process = run({"tools", "--url", "http://127.0.0.1:1/mcp"});

    EXPECT_EQ(process.exit_code, 4);
    EXPECT_TRUE(says(process.errors, "no gateway at http://127.0.0.1:1/mcp")) << process.errors;
    EXPECT_EQ(run({"tools", "--url", "nonsense"}).exit_code, 2);
}

}  // namespace
}  // namespace holdfast::test
