// The log of a running gateway: its formats and levels, and what it does on a terminal and in the
// journal of systemd.

#include <algorithm>
#include <boost/json/parse.hpp>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/program.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

class LogEndToEnd : public testing::Test {
protected:
    /// The config has an unknown key, which is a warning.
    LogEndToEnd() {
        write_file(folder_ / "config.json",
                   R"({"mcpServers":{"box":{"command":"true","comand":"x"}}})");
    }

    /// Arguments of "holdfast serve" on a free port, as a command for a shell.
    [[nodiscard]] std::string serve(const std::string& options) const {
        const char* binary = std::getenv("HOLDFAST_BINARY");
        return std::string{binary == nullptr ? "" : binary} + " serve --config " +
               (folder_ / "config.json") + " --http 127.0.0.1:0 " + options;
    }
    [[nodiscard]] std::vector<std::string> variables() const {
        return {"XDG_CACHE_HOME=" + folder_.path(), "XDG_RUNTIME_DIR=" + folder_.path()};
    }
    /// All lines of a gateway that is stopped once it has logged this.
    [[nodiscard]] std::vector<std::string> lines_of(const std::string& command,
                                                    const std::string& awaited) const {
        Program gateway{{"/bin/sh", "-c", command}, variables()};
        EXPECT_NE(gateway.rest_of_error_line(awaited), "") << command;
        gateway.send(SIGTERM);
        std::istringstream text{gateway.all_error_text()};
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    TemporaryFolder folder_;
};

TEST_F(LogEndToEnd, TextHasATimeAndALevelOnEveryLine) {
    const std::regex pattern{
        R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warn|info) \S.*[^.])"};

    const auto lines = lines_of("exec " + serve(""), " info listening on http://127.0.0.1:");

    ASSERT_GE(lines.size(), 2U);
    for (const std::string& line : lines) {
        EXPECT_TRUE(std::regex_match(line, pattern)) << line;
    }
}

TEST_F(LogEndToEnd, JsonHasAnObjectOnEveryLine) {
    const auto lines =
        lines_of("exec " + serve("--log-format json"), R"("event":"listening","message":)");

    ASSERT_GE(lines.size(), 2U);
    for (const std::string& line : lines) {
        boost::system::error_code error;
        const boost::json::value value = boost::json::parse(line, error);
        ASSERT_FALSE(error) << line;
        for (const char* name : {"time", "level", "event", "message"}) {
            ASSERT_NE(value.as_object().if_contains(name), nullptr) << name << " in " << line;
        }
    }
    EXPECT_NE(lines.at(0).find(R"("level":"info","event":"config_used")"), std::string::npos)
        << lines.at(0);
    EXPECT_NE(lines.at(1).find(R"("level":"warn","event":"config_warning")"), std::string::npos)
        << lines.at(1);
}

TEST_F(LogEndToEnd, ALevelHidesTheLinesBelowIt) {
    const auto lines =
        lines_of("exec " + serve("--log-level warn"), R"(server "box" is not connected)");

    for (const std::string& line : lines) {
        EXPECT_EQ(line.find("Z info "), std::string::npos) << line;
    }
}

TEST_F(LogEndToEnd, DebugShowsWhatInfoDoesNot) {
    write_file(
        folder_ / "config.json",
        R"({"mcpServers":{"box":)" + Scene::stdio_entry({"--stdio", "--era", "legacy"}) + "}}");
    const std::string awaited = R"(debug server "box": list of tools read ()";

    const auto lines = lines_of("exec " + serve("--log-level debug"), awaited);
    const auto usual =
        lines_of("exec " + serve("--log-level info"), "info listening on http://127.0.0.1:");

    const auto count_of = [](const std::vector<std::string>& all, std::string_view words) {
        return std::ranges::count_if(
            all, [words](const std::string& line) { return line.find(words) != line.npos; });
    };
    EXPECT_EQ(count_of(lines, " debug config read: " + (folder_ / "config.json")), 1);
    EXPECT_EQ(count_of(lines, R"( debug server "box": connecting (attempt 1))"), 1);
    EXPECT_EQ(count_of(lines, R"( debug server "box": handshake done after )"), 1);
    EXPECT_EQ(count_of(lines, "(legacy era, revision 2025-11-25)"), 1);
    EXPECT_EQ(count_of(usual, " debug "), 0);
}

TEST(DebugLogEndToEnd, NamesEachCallWithItsServerAndOutcome) {
    Scene scene;
    scene.add_fixture("one", kServerLegs[0]);
    ASSERT_TRUE(scene.start({"--log-level", "debug"}));
    TestAgent agent = scene.agent(kAgentLegs[1]);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("echo"));

    EXPECT_EQ(agent.call("echo", R"({"text":"x"})"), "x");

    const std::string line =
        scene.gateway().program().rest_of_error_line(R"(: "echo" at "one" ended after )");
    EXPECT_TRUE(line.ends_with(" ms (1 attempt): ok")) << line;
}

TEST_F(LogEndToEnd, AnUnknownLevelOrFormatIsAnInvalidCommandLine) {
    for (const char* option : {"--log-level loud", "--log-format xml", "--log-format plain"}) {
        const FinishedProcess process = run_process({"/bin/sh", "-c", serve(option)});

        EXPECT_EQ(process.exit_code, 2) << option;
        EXPECT_TRUE(process.errors.starts_with("holdfast: invalid value ")) << process.errors;
    }
}

TEST_F(LogEndToEnd, TheJournalGetsPrioritiesAndNoTimes) {
    const std::string journal =
        "JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) exec " + serve("");
    const std::regex pattern{R"(<[346]>[^0-9<].*)"};

    const auto lines = lines_of(journal, "<6>listening on http://127.0.0.1:");

    ASSERT_GE(lines.size(), 2U);
    EXPECT_TRUE(lines.at(0).starts_with("<6>")) << lines.at(0);
    EXPECT_TRUE(lines.at(1).starts_with("<4>")) << lines.at(1);
    for (const std::string& line : lines) {
        EXPECT_TRUE(std::regex_match(line, pattern)) << line;
    }
}

TEST_F(LogEndToEnd, AVariableOfAnotherStreamIsNotTheJournal) {
    const auto lines =
        lines_of("JOURNAL_STREAM=1:1 exec " + serve(""), " info listening on http://127.0.0.1:");

    EXPECT_FALSE(lines.empty());
}

TEST_F(LogEndToEnd, ColoursATerminalUnlessNoColorIsSet) {
    write_file(folder_ / "config.json", "{");
    // "script" gives the gateway a terminal, and prints what the terminal shows.
    const std::string on_terminal = "TERM=xterm exec script -qec '" + serve("") + "' /dev/null";

    const FinishedProcess coloured = run_process({"/bin/sh", "-c", on_terminal});
    const FinishedProcess plain = run_process({"/bin/sh", "-c", "NO_COLOR=1 " + on_terminal});

    EXPECT_EQ(coloured.exit_code, 3) << coloured.errors;
    EXPECT_NE(coloured.out.find("Z \x1b[31merror\x1b[0m "), std::string::npos) << coloured.out;
    EXPECT_NE(plain.out.find("Z error "), std::string::npos) << plain.out;
    EXPECT_EQ(plain.out.find('\x1b'), std::string::npos) << plain.out;
}

}  // namespace
}  // namespace holdfast::test
