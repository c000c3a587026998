// A cache folder that hangs: the gateway starts without it, serves, and ends in time.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "end_to_end/scene.hpp"

namespace holdfast::test {
namespace {

TEST(HungFolderTest, DoesNotKeepTheGatewayFromStartingAndEnding) {
    Scene scene;
    scene.add_fixture("fixture", kServerLegs[0]);
    const std::string cache = scene.folder() / "cache";
    std::filesystem::create_directory(cache);

    ASSERT_TRUE(scene.start(
        {}, {"LD_PRELOAD=" HOLDFAST_HUNG_FOLDER_LIBRARY,
             "HOLDFAST_TEST_HUNG_FOLDER=" + cache + "/holdfast", "XDG_CACHE_HOME=" + cache}));
    TestAgent agent = scene.agent(kAgentLegs[1]);
    ASSERT_TRUE(agent.open());
    EXPECT_TRUE(agent.finds_tool("echo"));
    EXPECT_EQ(agent.call("echo", R"({"text":"served"})"), "served");

    EXPECT_EQ(scene.gateway().stop(), 0);

    EXPECT_NE(scene.gateway().program().all_error_text().find("does not answer"),
              std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
