#include <gtest/gtest.h>

#include "sim/world.hpp"
#include "support/seeds.hpp"

namespace holdfast::sim {
namespace {

using resilience::testing::for_each_seed;

constexpr std::uint64_t kWorlds = 200;
constexpr std::uint64_t kWorldsLivedTwice = 15;

WorldReport lived(std::uint64_t seed) {
    World world{seed};
    return world.run();
}

TEST(GatewayWorldTest, AnswersEveryRequestExactlyOnce) {
    std::size_t requests = 0;
    std::size_t worlds = 0;

    for_each_seed(kWorlds, [&](std::mt19937_64& generator) {
        const WorldReport report = lived(generator());
        requests += report.requests;
        ++worlds;
        for (const std::string& complaint : report.complaints) {
            ADD_FAILURE() << complaint;
        }
    });

    // A world without requests proves nothing.
    EXPECT_GT(requests, worlds * 10);
}

TEST(GatewayWorldTest, IsDeterministicForASeed) {
    for_each_seed(kWorldsLivedTwice, [](std::mt19937_64& generator) {
        const std::uint64_t seed = generator();

        const WorldReport first = lived(seed);
        const WorldReport second = lived(seed);

        EXPECT_EQ(first.trace_hash, second.trace_hash);
        EXPECT_EQ(first.requests, second.requests);
    });
}

}  // namespace
}  // namespace holdfast::sim
