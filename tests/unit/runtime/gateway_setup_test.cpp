#include "runtime/gateway_options.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;

TEST(GatewaySetupTest, TakesTheLimitsOfTheConfig) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "config.json";
    std::ofstream{file} << R"({"mcpServers": {}, "limits": {"replayEvents": 3, "replayBytes": "9kB",
        "replayFor": "7s", "parkedCalls": 5, "parkedFor": "11s", "sessions": 13, "sessionIdle": "2m",
        "tools": 17, "streamsPerSession": 19}})";
    ConfigMessages messages;
    const auto loaded = load_everything(file, messages);
    ASSERT_TRUE(loaded) << joined(messages);

    const dispatch::GatewayOptions options = gateway_options_of(*loaded);

    EXPECT_EQ(options.sessions.session.replay.max_events, 3U);
    EXPECT_EQ(options.sessions.session.replay.max_bytes, 9U * 1024);
    EXPECT_EQ(options.sessions.session.replay.keep_for, 7s);
    EXPECT_EQ(options.max_parked_calls, 5U);
    EXPECT_EQ(options.parked_for, 11s);
    EXPECT_EQ(options.sessions.max_sessions, 13U);
    EXPECT_EQ(options.sessions.max_idle, 2min);
    EXPECT_EQ(options.catalogue.catalogue.max_items, 17U);
    EXPECT_EQ(options.sessions.session.replay.max_streams, 19U);
}

}  // namespace
}  // namespace holdfast::runtime
