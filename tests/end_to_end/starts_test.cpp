// How the gateway starts programs that take long, and programs that hang.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"

namespace holdfast::test {
namespace {

std::string binary() {
    const char* path = std::getenv("HOLDFAST_BINARY");
    return path == nullptr ? "" : path;
}

/// An entry of a shell that runs the script and then becomes a small server.
std::string entry_after(const std::string& script, const std::string& keys = {}) {
    return R"({"command":"/bin/sh","args":["-c",")" + script +
           R"(; exec \"$1\" demo-server","sh",")" + binary() + "\"]" + keys + "}";
}

TEST(Starts, AProgramThatMakesProgressIsNotInterrupted) {
    const TemporaryFolder folder;
    const std::string log = folder / "starts";
    write_file(folder / "c.json",
               R"({"mcpServers":{"slow":)" +
                   entry_after("echo started >> " + log +
                                   "; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do "
                                   "echo installing >&2; sleep 0.2; done",
                               R"(,"startTimeout":"2s")") +
                   "}}");

    const FinishedProcess check =
        run_process({binary(), "check", "--wait", "2s", "--config", folder / "c.json"});

    EXPECT_EQ(check.exit_code, 0) << check.out << check.errors;
    EXPECT_EQ(content_of_file(log), "started\n") << "it was started more than once";
}

TEST(Starts, CheckDoesNotWaitForAProgramThatHangs) {
    const TemporaryFolder folder;
    write_file(folder / "c.json", R"({"mcpServers":{"hung":)" + entry_after("sleep 1000") +
                                      R"(,"good":)" + entry_after("true") + "}}");

    const FinishedProcess check =
        run_process({binary(), "check", "--wait", "2s", "--config", folder / "c.json"});

    EXPECT_EQ(check.exit_code, 1);
    EXPECT_NE(check.out.find("hung  not ready"), std::string::npos) << check.out;
    EXPECT_NE(check.out.find("good  ready"), std::string::npos) << check.out;
}

TEST(Starts, AProgramThatHangsIsEndedAndTheReasonNamesTheKey) {
    const TemporaryFolder folder;
    write_file(folder / "c.json", R"({"mcpServers":{"hung":)" +
                                      entry_after("read -r line; read -r line; sleep 1000",
                                                  R"(,"startTimeout":"500ms")") +
                                      "}}");

    const FinishedProcess check =
        run_process({binary(), "check", "--wait", "60s", "--config", folder / "c.json"});

    EXPECT_EQ(check.exit_code, 1);
    EXPECT_NE(check.out.find("did not finish the handshake within"), std::string::npos)
        << check.out;
    EXPECT_NE(check.out.find("startTimeout"), std::string::npos) << check.out;
}

/// Writes a program that installs for ever and cleans up when it is asked to end.
std::string write_installer(const TemporaryFolder& folder) {
    const std::string program = folder / "npx";
    write_file(program, "#!/bin/sh\ntrap 'echo cleaned >> " + (folder / "log") +
                            "; exit 1' TERM\necho started >> " + (folder / "log") +
                            "\nwhile :; do sleep 0.05; done\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
}

TEST(Starts, AnInstallerIsAskedToEndBeforeItIsKilled) {
    const TemporaryFolder folder;
    write_file(folder / "c.json", R"({"mcpServers":{"late":{"command":")" +
                                      write_installer(folder) +
                                      R"(","args":["-y","pkg"],"startTimeout":"1s"}}})");

    // The installer uses the processor, so that it has four seconds.
    const FinishedProcess check =
        run_process({binary(), "check", "--wait", "60s", "--config", folder / "c.json"});

    EXPECT_EQ(check.exit_code, 1);
    EXPECT_EQ(content_of_file(folder / "log"), "started\ncleaned\n");
}

TEST(Starts, AnInstallerIsAskedToEndWhenTheGatewayStops) {
    const TemporaryFolder folder;
    Scene scene;
    scene.add_server("late", R"({"command":")" + write_installer(folder) + R"(","args":["pkg"]})");
    ASSERT_TRUE(scene.start());
    ASSERT_TRUE(eventually([&] { return content_of_file(folder / "log") == "started\n"; }));

    EXPECT_EQ(scene.gateway().stop(), 0);

    EXPECT_EQ(content_of_file(folder / "log"), "started\ncleaned\n");
}

TEST(Starts, ABrokenPackageOfNpxIsNamedWithItsRepair) {
    const TemporaryFolder folder;
    const std::string npx = folder / "npx";
    write_file(npx, "#!/bin/sh\necho 'Error: Cannot find module hono' >&2\nexit 1\n");
    std::filesystem::permissions(npx, std::filesystem::perms::owner_all);
    // The folder that npm 11 uses for the package "pkg".
    const std::string cache = folder / ".npm/_npx/d49a4e331cdc2cbd";
    std::filesystem::create_directories(cache + "/node_modules/hono/dist");
    write_file(folder / "c.json",
               R"({"mcpServers":{"late":{"command":")" + npx + R"(","args":["-y","pkg"]}}})");

    const FinishedProcess check = run_process({"/usr/bin/env", "HOME=" + folder.path(), binary(),
                                               "check", "--config", folder / "c.json"});

    EXPECT_EQ(check.exit_code, 1);
    EXPECT_NE(check.out.find(cache + "/node_modules/hono has no package.json"), std::string::npos)
        << check.out;
    EXPECT_NE(check.out.find("rm -rf '" + cache + "'"), std::string::npos) << check.out;
}

TEST(Starts, FourHungProgramsDoNotHoldUpTheRest) {
    Scene scene;
    for (const char* name : {"a", "b", "c", "d"}) {
        scene.add_server(name, entry_after("sleep 1000"));
    }
    scene.add_server("good", entry_after("true"));
    ASSERT_TRUE(scene.start({"--clock-rate", "5"}));
    TestAgent agent = scene.agent(kAgentLegs[1]);
    ASSERT_TRUE(agent.open());

    ASSERT_TRUE(agent.finds_tool("good__word_count"));

    EXPECT_EQ(agent.call("good__word_count", R"({"text":"a b"})"), "2 words");
}

}  // namespace
}  // namespace holdfast::test
