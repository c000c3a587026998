// Changes of a running gateway's config: new servers are added, removed ones end, and unchanged
// ones continue.

#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/run_process.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr AgentLeg kHttp = kAgentLegs[1];
constexpr AgentLeg kWebSocket = kAgentLegs[2];
const std::string kRead = "config reloaded: ";
const std::string kShowsAll = R"({"surface":{"mode":"all"},"mcpServers":{)";

class ReloadTest : public testing::Test {
protected:
    static std::string fixture(const std::string& name) {
        return "\"" + name + "\":" + Scene::stdio_entry({"--stdio", "--era", "legacy"});
    }
    static std::string with_policy(const std::string& servers, const std::string& policy) {
        return kShowsAll + servers + R"(},"policies":{"default":)" + policy + "}}";
    }
    static std::string with(const std::string& servers) { return kShowsAll + servers + "}}"; }

    void write(const std::string& config) const {
        write_file(scene.folder() / "config.json", config);
    }
    [[nodiscard]] FinishedProcess status() const {
        const char* binary = std::getenv("HOLDFAST_BINARY");
        return run_process({"/usr/bin/env", "XDG_RUNTIME_DIR=" + scene.folder().path(),
                            binary == nullptr ? "" : binary, "status"});
    }
    std::string logged(std::string_view words) {
        return scene.gateway().program().rest_of_error_line(words);
    }
    /// Starts with this config.
    void start(const std::string& config) {
        ASSERT_TRUE(scene.start());
        write(config);
        scene.gateway().program().send(SIGHUP);
        ASSERT_NE(logged(kRead), "");
    }
    TestAgent opened(const AgentLeg& leg, const std::string& tool) {
        TestAgent agent = scene.agent(leg);
        EXPECT_TRUE(agent.open());
        EXPECT_TRUE(agent.finds_tool(tool));
        return agent;
    }

    Scene scene;
};

TEST_F(ReloadTest, NoticesAChangedFile) {
    start(with(fixture("one")));
    TestAgent agent = opened(kHttp, "echo");
    ASSERT_EQ(agent.call("call_count"), "1");

    write(with(fixture("one") + "," + fixture("two")));

    EXPECT_EQ(logged(kRead), R"(added "two"; 1 server unchanged)");
    EXPECT_TRUE(agent.finds_tool("two__echo"));
    EXPECT_EQ(agent.call("one__call_count"), "2") << "the server that was there is another process";
    EXPECT_EQ(agent.call("two__call_count"), "1");
}

TEST_F(ReloadTest, NotifiesAgentsOfChangedLists) {
    start(with(fixture("one") + "," + fixture("two")));
    TestAgent agent = opened(kWebSocket, "two__echo");

    write(with(fixture("one")));

    EXPECT_NE(agent.next_message_of("notifications/tools/list_changed"), "");
    EXPECT_TRUE(agent.finds_tool("echo"));
    EXPECT_EQ(agent.request({.method = "tools/list"}).find("two__"), std::string::npos);
}

TEST_F(ReloadTest, EndsTheCallsOfARemovedServer) {
    start(with(fixture("one") + "," + fixture("two")));
    TestAgent agent = opened(kHttp, "two__hang");
    const std::string call = agent.send(tool_call("two__hang"));
    for (int count = 0; count < 1'000 && agent.call("two__call_count") == "1"; ++count) {
    }

    write(with(fixture("one")));

    EXPECT_EQ(logged(kRead), R"(removed "two"; 1 server unchanged)");
    const std::string answer = agent.answer_to(call);
    EXPECT_EQ(member_text(answer, "code"), "\"SHUTTING_DOWN\"") << answer;
}

TEST_F(ReloadTest, RestartsAChangedServer) {
    start(with(fixture("one") + "," + fixture("two")));
    TestAgent agent = opened(kHttp, "two__echo");
    ASSERT_EQ(agent.call("one__call_count"), "1");
    ASSERT_EQ(agent.call("two__call_count"), "1");

    write(with(fixture("one") + ",\"two\":" +
               Scene::stdio_entry({"--stdio", "--era", "legacy", "--broken-schema-tool"})));

    EXPECT_EQ(logged(kRead), R"(changed "two"; 1 server unchanged)");
    EXPECT_TRUE(agent.finds_tool("two__broken_schema"));
    EXPECT_EQ(agent.call("one__call_count"), "2");
    EXPECT_EQ(agent.call("two__call_count"), "1");
}

TEST_F(ReloadTest, ChangesNothingWhenTheFileIsInvalid) {
    start(with(fixture("one")));
    TestAgent agent = opened(kHttp, "echo");
    ASSERT_EQ(agent.call("call_count"), "1");

    write(R"({"mcpServers":{},"polices":{}})");

    EXPECT_EQ(logged("polices: unknown key; "), R"(the nearest is "policies")");
    EXPECT_EQ(logged("config rejected, "), "keeping the previous one");
    EXPECT_EQ(agent.call("call_count"), "2");
}

TEST_F(ReloadTest, ShowsInTheStatusThatTheFileWasRejected) {
    scene.add_section(R"("admin":{"http":"127.0.0.1:0"})");
    start(with(fixture("one")));
    TestAgent agent = opened(kHttp, "echo");
    ASSERT_EQ(status().exit_code, 0);

    write(R"({"mcpServers":{},"polices":{}})");
    ASSERT_NE(logged("config rejected, "), "");

    FinishedProcess shown = status();
    EXPECT_EQ(shown.exit_code, 1);
    EXPECT_NE(shown.out.find("\nconfig rejected at 20"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find(": polices: unknown key; the nearest is \"policies\"\n"),
              std::string::npos)
        << shown.out;

    write(with(fixture("one")));
    ASSERT_NE(logged(kRead), "");
    shown = status();
    EXPECT_EQ(shown.exit_code, 0) << shown.out;
    EXPECT_EQ(shown.out.find("config rejected"), std::string::npos) << shown.out;
}

TEST_F(ReloadTest, ServesOnWhileTheDiskHangs) {
    start(with(fixture("one")));
    TestAgent agent = opened(kHttp, "echo");
    const std::string file = scene.folder() / "config.json";
    // A pipe that nobody writes to: opening it hangs.
    ASSERT_EQ(std::remove(file.c_str()), 0);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);

    // More reloads than the queue of the disk thread takes. Signals merge, so each is followed by a
    // call that the gateway answers after it.
    for (int count = 1; count <= 20; ++count) {
        scene.gateway().program().send(SIGHUP);
        ASSERT_EQ(agent.call("call_count"), std::to_string(count));
    }

    EXPECT_NE(logged("reload skipped"), "");
}

TEST_F(ReloadTest, KeepsTheConfigWhenTheFileHasASyntaxErrorOrARemovedKey) {
    start(with(fixture("one")));
    TestAgent agent = opened(kHttp, "echo");
    ASSERT_EQ(agent.call("call_count"), "1");

    write("{\"mcpServers\":\n {]}");
    EXPECT_EQ(logged("config.json:2:3: "), "expected a key in double quotes");
    EXPECT_EQ(agent.call("call_count"), "2");
    write(R"({"mcpServers":{},"catalogue":{"gather":"1s"}})");
    EXPECT_EQ(logged("config.json:1:31: catalogue.gather: removed key; "), R"(use "debounce")");
    EXPECT_EQ(agent.call("call_count"), "3");
}

TEST_F(ReloadTest, KeepsTheStateOfCircuits) {
    const std::string policy =
        R"({"circuit":{"failures":1,"open":"60s"},"retry":"none","timeout":)";
    start(with_policy(fixture("one"), policy + R"("50s"})"));
    TestAgent agent = opened(kHttp, "crash");
    std::ignore = agent.request(tool_call("crash"));
    ASSERT_NE(logged(R"(circuit "one" opened)"), "");

    write(with_policy(fixture("one") + "," + fixture("two"), policy + R"("40s"})"));

    EXPECT_EQ(logged(kRead), R"(added "two"; 1 server unchanged)");
    const std::string answer = agent.request(tool_call("one__echo", R"({"text":"a"})"));
    EXPECT_EQ(member_text(answer, "code"), "\"CIRCUIT_OPEN\"") << answer;
    EXPECT_TRUE(agent.finds_tool("two__echo"));
    EXPECT_EQ(agent.call("two__echo", R"({"text":"a"})"), "a");
}

TEST_F(ReloadTest, AppliesTheNewPolicy) {
    start(with_policy(fixture("one"), R"({"timeout":"10m","retry":"none"})"));
    TestAgent agent = opened(kHttp, "hang");
    ASSERT_EQ(agent.call("call_count"), "1");

    write(with_policy(fixture("one"), R"({"timeout":"200ms","retry":"none"})"));

    EXPECT_EQ(logged(kRead), "1 server unchanged");
    const std::string answer = agent.request(tool_call("hang"));
    EXPECT_EQ(member_text(answer, "code"), "\"TIMEOUT\"") << answer;
    EXPECT_EQ(agent.call("call_count"), "3");
}

TEST_F(ReloadTest, ReportsWhatNeedsARestart) {
    start(with(fixture("one")));

    write(kShowsAll + fixture("one") + R"(},"limits":{"sessions":7}})");

    EXPECT_NE(logged(R"("limits" changed in the config)"), "");
}

}  // namespace
}  // namespace holdfast::test
