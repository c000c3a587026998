// What the commands print about a gateway and a config, in golden files. Values that differ from
// run to run are replaced by names in angle brackets.

#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/call_id.hpp"
#include "support/golden.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

/// The first attempt is at the start; the next one is not awaited.
constexpr std::string_view kSlowReconnect =
    R"("reconnect":{"delay":"1h","maxDelay":"1h","jitter":0})";

std::string replaced(const std::string& text, std::string_view what, const std::string& by) {
    std::string result = text;
    for (std::size_t at = result.find(what); at != std::string::npos;
         at = result.find(what, at + by.size())) {
        result.replace(at, what.size(), by);
    }
    return result;
}

class CommandOutputTest : public testing::Test {
protected:
    CommandOutputTest() {
        scene_.add_section(R"("admin":{"http":"127.0.0.1:0"})");
        scene_.add_section(R"("telemetry":{"store":false})");
    }

    /// A server whose tools change seldom: the one that `holdfast init` writes into a config.
    static std::string healthy_entry() {
        return R"({"command":")" + binary() + R"(","args":["demo-server"]})";
    }
    void add_healthy() { scene_.add_server("demo", healthy_entry()); }
    void add_dead() {
        scene_.add_server("dead", R"({"command":"sh","args":["-c","echo no key >&2; exit 3"],)" +
                                      std::string{kSlowReconnect} + "}");
    }
    void add_unreachable() {
        scene_.add_server(
            "web", R"({"url":"http://127.0.0.1:1/mcp",)" + std::string{kSlowReconnect} + "}");
    }
    void add_skipped() {
        scene_.add_server("needy", R"({"command":"sh","env":{"T":"${HOLDFAST_TEST_UNSET}"}})");
    }
    static std::string binary() {
        const char* path = std::getenv("HOLDFAST_BINARY");
        return path == nullptr ? "" : path;
    }
    [[nodiscard]] std::string config() const { return scene_.folder() / "config.json"; }

    [[nodiscard]] FinishedProcess run(const std::vector<std::string>& words) const {
        std::vector<std::string> command{"/usr/bin/env", "-u", "HOLDFAST_TEST_UNSET"};
        for (const char* folder : {"CACHE_HOME", "DATA_HOME", "CONFIG_HOME", "RUNTIME_DIR"}) {
            command.push_back("XDG_" + std::string{folder} + "=" + scene_.folder().path());
        }
        command.push_back(binary());
        command.insert(command.end(), words.begin(), words.end());
        return run_process(std::move(command));
    }

    /// The text with names for what differs between runs.
    [[nodiscard]] std::string steady(std::string text) const {
        static const std::vector<std::pair<std::regex, const char*>> changing_values{
            {std::regex{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"}, "<time>"},
            {std::regex{R"(holdfast \d+\.\d+\.\d+\S*, process \d+)"},
             "holdfast <version>, process <pid>"},
            {std::regex{R"re("callId":"[^"]*")re"}, R"("callId":"<id>")"},
            {std::regex{R"(\b\d+ s\b)"}, "<seconds> s"},
            {std::regex{R"(\b\d+(\.\d+)?(e-\d+)? ms\b)"}, "<ms> ms"},
        };
        text = replaced(text, scene_.folder().path(), "<folder>");
        for (const auto& [changing, name] : changing_values) {
            text = std::regex_replace(text, changing, name);
        }
        return text;
    }

    /// The command as a person types it, with its output and exit code.
    [[nodiscard]] std::string shown(const std::vector<std::string>& words) const {
        const FinishedProcess process = run(words);
        std::string text = "$ holdfast";
        for (const std::string& word : words) {
            text += " " + word;
        }
        return steady(text + "\n" + process.out + process.errors + "exit code " +
                      std::to_string(process.exit_code) + "\n");
    }

    void start() { ASSERT_TRUE(scene_.start()); }
    /// Waits until no server connects any more, and the tools of the healthy one are known.
    void await_servers() const {
        EXPECT_TRUE(eventually([this] {
            const std::string out = run({"status"}).out;
            return out.find("; 3 tools\n") != std::string::npos &&
                   out.find("connecting") == std::string::npos;
        }));
    }
    [[nodiscard]] TestAgent opened() {
        TestAgent agent = scene_.agent(kAgentLegs[1]);
        EXPECT_TRUE(agent.open());
        return agent;
    }
    void write(const std::string& text) const { write_file(config(), text); }

    Scene scene_;
};

/// A call that asks for its id.
AgentRequest with_call_id(const std::string& tool, const std::string& arguments) {
    AgentRequest request = tool_call(tool, arguments);
    request.meta = R"("dev.holdfast/callId":true)";
    return request;
}

TEST_F(CommandOutputTest, OfAHealthyGateway) {
    add_healthy();
    start();
    TestAgent agent = opened();
    ASSERT_TRUE(agent.finds_tool("word_count"));
    const std::string id =
        call_id_in(agent.request(with_call_id("word_count", R"({"text":"a b"})")));

    expect_golden("command_status_healthy", shown({"status"}) + "\n" + shown({"circuits"}));
    expect_golden("command_explain", replaced(shown({"explain", id}), id, "<id>"));
    expect_golden("command_reload", shown({"reload"}));
    // With a config, the command waits for the index.
    expect_golden("command_search",
                  shown({"search", "count the words", "--limit", "2", "--config", config()}));
}

TEST_F(CommandOutputTest, OfAGatewayWithServersThatDoNotWork) {
    add_healthy();
    add_dead();
    add_unreachable();
    start();
    await_servers();
    expect_golden("command_status_down", shown({"status"}));
}

TEST_F(CommandOutputTest, OfAGatewayWithASkippedServer) {
    add_healthy();
    add_skipped();
    start();
    await_servers();
    expect_golden("command_status_skipped", shown({"status"}));
}

TEST_F(CommandOutputTest, OfAGatewayWhoseConfigWasRejected) {
    add_healthy();
    start();
    await_servers();
    write("{\"mcpServers\": {},\n\"polices\": {},\n\"limits\": {\"queue\": -1}}");
    const std::string reload = shown({"reload"});

    expect_golden("command_reload_rejected", reload + "\n" + shown({"status"}));
}

TEST_F(CommandOutputTest, OfACheck) {
    write(R"({"mcpServers":{"demo":)" + healthy_entry() +
          R"(,"dead":{"command":"sh","args":["-c","echo no key >&2; exit 3"]},)"
          R"("off":{"command":"true","disabled":true},)"
          "\n"
          R"("needy":{"command":"sh","env":{"T":"${HOLDFAST_TEST_UNSET}"}}}})");
    const std::string all = shown({"check", "--config", config()});
    write(R"({"mcpServers":{}})");
    const std::string none = shown({"check", "--config", config()});
    write("{\"mcpServers\": {},\n\"polices\": {},\n\"limits\": {\"queue\": -1}}");

    expect_golden("command_check",
                  all + "\n" + none + "\n" + shown({"check", "--config", config()}));
}

TEST_F(CommandOutputTest, OfCommandsThatFail) {
    std::string texts = shown({"status"}) + "\n" + shown({"status", "--pid", "1"}) + "\n" +
                        shown({"status", "--url", "nonsense"}) + "\n" +
                        shown({"status", "--url", "http://127.0.0.1:1"}) + "\n" +
                        shown({"tools", "--url", "http://127.0.0.1:1/mcp"}) + "\n" +
                        shown({"check", "--config", scene_.folder() / "missing.json"}) + "\n" +
                        shown({"init", "--config", "/dev/null/config.json"}) + "\n" +
                        shown({"telemetry", "--file", scene_.folder() / "missing.db"}) + "\n" +
                        shown({"model", "install", "--from", scene_.folder() / "missing.tgz"}) +
                        "\n" + shown({"presets", "upc"}) + "\n" +
                        shown({"call", "word_count", "[1]", "--config", config()}) + "\n";
    add_healthy();
    start();
    await_servers();
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"circuits", "reset", "dmeo"},
                                               {"servers", "restart", "dmeo"},
                                               {"servers", "resume", "demo"},
                                               {"explain", "none"}}) {
        texts += shown(words) + "\n";
    }
    const std::string url = "http://127.0.0.1:" + std::to_string(scene_.port()) + "/mcp";
    texts += shown({"call", "word_cuont", "--url", url}) + "\n" +
             shown({"call", "word_count", R"({"txt":"a"})", "--url", url}) + "\n" +
             shown({"serve", "--log-level", "error", "--config", config(), "--http",
                    "127.0.0.1:" + std::to_string(scene_.port())});

    expect_golden("command_errors", replaced(texts, std::to_string(scene_.port()), "<port>"));
}

}  // namespace
}  // namespace holdfast::test
