#include "runtime/resource_plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace holdfast::runtime {
namespace {

config::Config config_with(std::size_t programs, std::size_t addresses = 0) {
    config::Config config;
    for (std::size_t index = 0; index < programs; ++index) {
        config.servers.push_back({.target = config::StdioTarget{}});
    }
    for (std::size_t index = 0; index < addresses; ++index) {
        config.servers.push_back({.target = config::HttpTarget{}});
    }
    return config;
}

SystemLimits limits_of(std::size_t descriptors, std::size_t processes = process::kNoLimit) {
    return {.descriptors = {.now = descriptors, .most = descriptors},
            .processes = {.now = processes, .most = processes}};
}

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

TEST(ResourcePlanTest, ReservesDescriptorsForServers) {
    const ResourcePlan plan = resource_plan(config_with(10, 5), 2, limits_of(100'000));

    EXPECT_EQ(plan.max_descriptor, 100'000 - (64 + 2 * 8 + 10 * 4 + 5 * 16));
    EXPECT_TRUE(plan.warnings.empty());
}

TEST(ResourcePlanTest, AgentsGetAtLeastHalf) {
    EXPECT_EQ(resource_plan(config_with(10, 500), 2, limits_of(1'024)).max_descriptor, 512);
}

TEST(ResourcePlanTest, NoLimitNeedsNoPlan) {
    const ResourcePlan plan = resource_plan(config_with(500), 2, limits_of(process::kNoLimit));

    EXPECT_EQ(plan.max_descriptor, std::numeric_limits<int>::max());
    EXPECT_TRUE(plan.warnings.empty());
}

TEST(ResourcePlanTest, NamesTheLimitThatProgramsDoNotFitInto) {
    const ResourcePlan plan = resource_plan(config_with(500), 2, limits_of(1'024));

    ASSERT_EQ(plan.warnings.size(), 1U);
    EXPECT_TRUE(has(plan.warnings[0], "500 servers are programs and need 2080 open files"));
    EXPECT_TRUE(has(plan.warnings[0], "the limit is 1024 (RLIMIT_NOFILE)"));
}

TEST(ResourcePlanTest, NamesTheLimitThatConnectionsDoNotFitInto) {
    const ResourcePlan plan = resource_plan(config_with(1), 1, limits_of(1'024));

    ASSERT_EQ(plan.warnings.size(), 1U);
    EXPECT_TRUE(has(plan.warnings[0], "limits.connections is 10000")) << plan.warnings[0];
    EXPECT_TRUE(has(plan.warnings[0], "about 948 connections are accepted")) << plan.warnings[0];
}

TEST(ResourcePlanTest, NamesTheLimitOfProcesses) {
    const ResourcePlan plan = resource_plan(config_with(100), 1, limits_of(100'000, 120));

    ASSERT_EQ(plan.warnings.size(), 1U);
    EXPECT_TRUE(has(plan.warnings[0], "only 120 processes and threads (RLIMIT_NPROC)"));
}

TEST(ResourcePlanTest, DisabledServersNeedNothing) {
    config::Config config = config_with(500);
    for (config::ServerConfig& server : config.servers) {
        server.is_disabled = true;
    }
    config.limits.connections = 100;

    EXPECT_TRUE(resource_plan(config, 1, limits_of(1'024, 50)).warnings.empty());
}

}  // namespace
}  // namespace holdfast::runtime
