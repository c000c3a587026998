#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "support/gateway/gateway_world.hpp"

// Parked calls and the requests of other loops.

namespace holdfast::calls {
namespace {

using namespace std::chrono_literals;

/// The arguments of a call, which take long to compare.
std::string arguments(const std::string& last) {
    std::string list;
    for (int index = 0; index < 100'000; ++index) {
        list += std::to_string(index) + ",";
    }
    return R"("name":"t","arguments":{"list":[)" + list + last + "]}";
}

class ParkedCallThreadedTest : public test::GatewayWorld {};

// A call that is out of the table for a moment could end in it, and be put back for ever.
TEST_F(ParkedCallThreadedTest, StaysInTheTableWhileTheRequestOfAnotherCallIsCompared) {
    const auto server = add_server("box", mcp::Era::legacy);
    begin();
    request(Modern{}, "tools/call", arguments("1"));
    on_loop([&] { server->last().ask("roots/list", ""); });
    loop.run_for(5ms);
    ASSERT_EQ(parked(), 1U);

    std::atomic<bool> has_ended = false;
    test::Port other;
    std::thread agent{[&] {
        other = request(Modern{}, "tools/call",
                        arguments("2") + R"(,"requestState":"holdfast:secret1")", "2");
        has_ended = true;
    }};
    std::size_t least = 1;
    while (!has_ended) {
        least = std::min(least, parked());
    }
    agent.join();

    EXPECT_NE(other->answer().find(R"("code":-32602)"), std::string::npos) << other->answer();
    EXPECT_EQ(least, 1U);
    EXPECT_EQ(parked(), 1U);
}

}  // namespace
}  // namespace holdfast::calls
