// The processes that the gateway starts: none outlives it, none stays a zombie, and failures of one
// do not affect others.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr AgentLeg kLegacyHttp = kAgentLegs[1];
constexpr ServerLeg kStdioServer = kServerLegs[0];

/// Returns an entry that runs a script; `FIXTURE` in it is the command of a fixture server.
std::string script_entry(std::string script) {
    const std::string command =
        Scene::fixture_path() + " --stdio --era legacy --lifetime-seconds 100";
    constexpr std::string_view kMark = "FIXTURE";
    if (const std::size_t place = script.find(kMark); place != std::string::npos) {
        script.replace(place, kMark.size(), command);
    }
    return R"({"command":"sh","args":["-c",")" + script + R"("]})";
}

enum class Ending : std::uint8_t { end_of_input, terminate, interrupt, kill };

struct NamedEnding {
    std::string_view name = {};
    Ending ending = Ending::terminate;
};

/// A kind of child, and its minimum number of processes.
struct NamedChild {
    std::string_view name = {};
    std::string_view script = {};
    std::size_t processes = 1;
};

void PrintTo(const NamedEnding& ending, std::ostream* out) {
    *out << ending.name;
}
void PrintTo(const NamedChild& child, std::ostream* out) {
    *out << child.name;
}

constexpr std::array<NamedEnding, 4> kEndings{{
    {"EndOfInput", Ending::end_of_input},
    {"Terminate", Ending::terminate},
    {"Interrupt", Ending::interrupt},
    {"Kill", Ending::kill},
}};

constexpr std::array<NamedChild, 5> kChildren{{
    {"Plain", "exec FIXTURE", 1},
    {"Stubborn", "exec FIXTURE --ignore-eof --ignore-term", 1},
    {"Wrapper", "FIXTURE; exit $?", 2},
    {"Family", "trap '' TERM HUP; sleep 100 & exec FIXTURE", 2},
    {"Daemon", "setsid sh -c 'sleep 100; true' > /dev/null 2>&1 < /dev/null & exec FIXTURE", 3},
}};

using LastDays = std::tuple<NamedEnding, NamedChild>;

class ChildrenEndTest : public testing::TestWithParam<LastDays> {};

TEST_P(ChildrenEndTest, LeavesNoProcessBehind) {
    const auto& [ending, child] = GetParam();
    Scene scene;
    scene.add_server("fixture", script_entry(std::string{child.script}));
    ASSERT_TRUE(scene.start({"--stdio"}));
    Program& gateway = scene.gateway().program();
    auto agent = std::make_unique<TestAgent>(scene.agent(kAgentLegs[0]));
    ASSERT_TRUE(agent->open());
    ASSERT_TRUE(agent->finds_tool("echo"));
    // The guardian is one of them. A daemon's shell may still be starting its child.
    ASSERT_TRUE(eventually([&gateway, count = child.processes + 1] {
        return descendants_of(gateway.pid()).size() >= count;
    }));

    int expected = 0;
    switch (ending.ending) {
        case Ending::end_of_input:
            agent.reset();
            break;
        case Ending::terminate:
            gateway.send(SIGTERM);
            break;
        case Ending::interrupt:
            gateway.send(SIGINT);
            break;
        case Ending::kill:
            gateway.send(SIGKILL);
            expected = -SIGKILL;
            break;
    }

    EXPECT_EQ(gateway.wait(), expected);
    EXPECT_TRUE(eventually(has_no_descendant)) << descendants_of(::getpid()).size() << " left";
}

INSTANTIATE_TEST_SUITE_P(Every, ChildrenEndTest,
                         testing::Combine(testing::ValuesIn(kEndings),
                                          testing::ValuesIn(kChildren)),
                         [](const testing::TestParamInfo<LastDays>& info) {
                             return std::string{std::get<0>(info.param).name} + "With" +
                                    std::string{std::get<1>(info.param).name};
                         });

class ChildrenTest : public testing::Test {
protected:
    void start() {
        ASSERT_TRUE(scene_.start());
        agent_ = std::make_unique<TestAgent>(scene_.agent(kLegacyHttp));
        ASSERT_TRUE(agent_->open());
    }

    [[nodiscard]] Scene& scene() { return scene_; }
    [[nodiscard]] TestAgent& agent() const { return *agent_; }
    /// Returns the zombies below the gateway.
    [[nodiscard]] bool has_zombie() {
        const pid_t gateway = scene_.gateway().program().pid();
        std::vector<pid_t> parents = descendants_of(gateway);
        parents.push_back(gateway);
        return std::ranges::any_of(parents, [](pid_t pid) { return !zombies_of(pid).empty(); });
    }

private:
    Scene scene_;
    std::unique_ptr<TestAgent> agent_;
};

TEST_F(ChildrenTest, FailsCallsOfADeadChildImmediatelyAndRestartsIt) {
    scene().add_fixture("fixture", kStdioServer);
    start();
    ASSERT_TRUE(agent().finds_tool("hang"));
    AgentRequest busy = tool_call("progress", R"({"steps":100000,"ms":1})");
    busy.meta = R"("progressToken":1)";
    const std::string id = agent().send(busy);
    ASSERT_NE(agent().next_message_of("notifications/progress"), "");
    const auto begin = Clock::now();

    const std::string crashed = agent().send(tool_call("crash"));
    const std::string answer = agent().answer_to(id);

    EXPECT_LT(Clock::now() - begin, 5s) << "long before the deadline of the call";
    EXPECT_NE(answer.find(R"("isError":true)"), std::string::npos) << answer;
    EXPECT_NE(answer.find("CONNECTION_LOST"), std::string::npos) << answer;
    EXPECT_TRUE(eventually([this] { return !has_zombie(); }));
    EXPECT_TRUE(
        eventually([this] { return agent().call("echo", R"({"text":"again"})") == "again"; }));
    std::ignore = crashed;  // its answer may have arrived first
}

TEST_F(ChildrenTest, DampsACrashLoop) {
    const std::string starts = scene().folder() / "starts";
    const std::string entry = script_entry("echo x >> " + starts + "; exit 1");
    scene().add_server("broken", entry.substr(0, entry.size() - 1) +
                                     R"(,"reconnect":{"delay":"200ms","jitter":0}})");
    scene().add_fixture("fixture", kStdioServer);
    const auto begin = Clock::now();
    start();

    // Each attempt is at most two starts, one for each era, and the delays are 0.2, 0.4, 0.8 s.
    EXPECT_TRUE(eventually([&starts] { return content_of_file(starts).size() / 2 >= 7; }));

    EXPECT_GE(Clock::now() - begin, 1'300ms);
    EXPECT_TRUE(agent().finds_tool("fixture__echo"));
    EXPECT_TRUE(eventually([this] { return !has_zombie(); }));
}

TEST_F(ChildrenTest, IsNotDelayedByFailuresOfOthers) {
    scene().add_server("hung", script_entry("sleep 100"));
    scene().add_server("stubborn", script_entry("trap '' TERM; sleep 100; sleep 100"));
    scene().add_server("broken", script_entry("exit 1"));
    scene().add_server("missing", R"({"command":"/there/is/no/such/program"})");
    scene().add_server("refused", R"({"type":"http","url":"http://127.0.0.1:9/mcp"})");
    scene().add_fixture("slow", kStdioServer, {"--list-delay-ms", "60000"});
    scene().add_fixture("silent", kServerLegs[1], {"--list-delay-ms", "60000"});
    scene().add_fixture("fixture", kStdioServer);
    const auto begin = Clock::now();
    start();
    EXPECT_LT(Clock::now() - begin, 2s) << "initialize";

    std::ignore = agent().request({.method = "tools/list"});

    EXPECT_LT(Clock::now() - begin, 5s) << "the first list may wait a little for what is new";
    ASSERT_TRUE(agent().finds_tool("fixture__echo"));
    const auto settled = Clock::now();
    for (int round = 0; round < 20; ++round) {
        const std::string list = agent().request({.method = "tools/list"});
        EXPECT_NE(list.find("fixture__echo"), std::string::npos);
        EXPECT_EQ(agent().call("fixture__echo", R"({"text":"quick"})"), "quick");
    }
    EXPECT_LT(Clock::now() - settled, 3s) << "40 requests";
}

TEST_F(ChildrenTest, AnswersOthersWhileOneServerHangs) {
    scene().add_fixture("first", kStdioServer);
    scene().add_fixture("second", kStdioServer);
    start();
    ASSERT_TRUE(agent().finds_tool("first__hang"));
    ASSERT_TRUE(agent().finds_tool("second__echo"));
    std::vector<std::string> hanging;
    for (int index = 0; index < 5; ++index) {
        hanging.push_back(agent().send(tool_call("first__hang")));
    }
    const auto begin = Clock::now();

    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(agent().call("second__echo", R"({"text":"quick"})"), "quick");
        EXPECT_EQ(agent().call("first__echo", R"({"text":"quick"})"), "quick");
    }

    EXPECT_LT(Clock::now() - begin, 3s);
    for (const std::string& id : hanging) {
        agent().cancel(id);
    }
    EXPECT_TRUE(eventually([this] { return agent().call("first__cancel_count") == "5"; }));
}

/// Returns the guardian of the gateway: its only child.
pid_t guardian_of(pid_t gateway) {
    const std::string children = content_of_file("/proc/" + std::to_string(gateway) + "/task/" +
                                                 std::to_string(gateway) + "/children");
    return static_cast<pid_t>(std::strtol(children.c_str(), nullptr, 10));
}

TEST_F(ChildrenTest, StartAgainAfterTheirGuardianWasKilled) {
    inherit_orphans();
    scene().add_fixture("fixture", kStdioServer);
    start();
    ASSERT_TRUE(agent().finds_tool("echo"));
    pid_t guardian = guardian_of(scene().gateway().program().pid());
    for (int round = 0; round < 3; ++round) {
        ASSERT_GT(guardian, 0);

        ::kill(guardian, SIGKILL);

        EXPECT_NE(scene().gateway().program().rest_of_error_line("another guardian is running"),
                  "");
        EXPECT_TRUE(
            eventually([this] { return agent().call("echo", R"({"text":"again"})") == "again"; }));
        const pid_t next = guardian_of(scene().gateway().program().pid());
        EXPECT_NE(next, guardian);
        guardian = next;
    }
    EXPECT_FALSE(has_zombie());
    EXPECT_EQ(scene().gateway().stop(), 0);
    EXPECT_TRUE(eventually(has_no_descendant)) << descendants_of(::getpid()).size() << " left";
}

TEST_F(ChildrenTest, AnotherGuardianHasNoSecretsToRead) {
    scene().add_fixture("fixture", kStdioServer);
    ASSERT_TRUE(scene().start({}, {"HOLDFAST_TEST_SECRET=hidden"}));
    const pid_t gateway = scene().gateway().program().pid();
    const pid_t first = guardian_of(gateway);
    ::kill(first, SIGKILL);
    ASSERT_TRUE(eventually([gateway, first] {
        const pid_t next = guardian_of(gateway);
        return next > 0 && next != first && descendants_of(next).size() == 1;
    }));

    const std::string environment =
        content_of_file("/proc/" + std::to_string(guardian_of(gateway)) + "/environ");

    EXPECT_EQ(environment.find("hidden"), std::string::npos);
}

/// A server for `sh` that is small enough to run hundreds of times.
constexpr std::string_view kSmallServer = R"sh(
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; id=${id%\}}
  case $line in
    *'"method":"initialize"'*) answer='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) answer='"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
    *) answer='"error":{"code":-32601,"message":"no"}' ;;
  esac
  case $line in
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer" ;;
  esac
done
)sh";

TEST_F(ChildrenTest, FiveHundredOfThemRunAtTheSameTime) {
    constexpr int kCount = 500;
    const std::string program = scene().folder() / "server.sh";
    write_file(program, kSmallServer);
    for (int index = 0; index < kCount; ++index) {
        scene().add_server("s" + std::to_string(index),
                           R"({"command":"sh","args":[")" + program + R"("]})");
    }
    start();

    EXPECT_TRUE(eventually(
        [this] { return descendants_of(scene().gateway().program().pid()).size() == kCount + 1; },
        60s));
    EXPECT_TRUE(agent().finds_tool("s499__t"));
    EXPECT_EQ(scene().gateway().stop(), 0);
}

/// Returns the delays before the first tries to start a broken server again, in milliseconds.
std::vector<std::string> retry_delays() {
    Scene scene;
    scene.add_server("broken", R"({"command":"false","reconnect":{"delay":"100ms","jitter":0.5}})");
    EXPECT_TRUE(scene.start({"--log-level", "debug", "--log-format", "json"}));
    std::vector<std::string> delays;
    while (delays.size() < 4) {
        const std::string rest = scene.gateway().program().rest_of_error_line("\"retry_ms\":");
        if (rest.empty()) {
            ADD_FAILURE() << "no more tries";
            break;
        }
        delays.push_back(rest.substr(0, rest.find_first_not_of("0123456789")));
    }
    return delays;
}

TEST(JitterTest, TwoGatewaysDoNotRetryInStep) {
    EXPECT_NE(retry_delays(), retry_delays());
}

}  // namespace
}  // namespace holdfast::test
