#include "runtime/servers/server_guards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "config/read_config.hpp"
#include "policy/read_policy_table.hpp"

namespace holdfast::runtime {
namespace {

/// Returns how many of three tools get the circuit that their preset has for them.
std::ptrdiff_t circuits_in_use(std::size_t max_circuits) {
    const auto config = config::read_config(
        "test.json", R"({"mcpServers": {"code": {"command": "x", "preset": "octocode"}}})",
        [](std::string_view) { return std::optional<std::string>{}; });
    const auto policies = policy::read_policy_table(*config.config, {});
    ServerGuards guards{nullptr, [] { return 1; }};
    const auto guard = guards.guard_of("code", *policies.table, false, max_circuits);
    const resilience::TimePoint now{};
    for (const char* tool : {"localSearchCode", "packageSearch", "githubSearchCode"}) {
        std::ignore = guard->is_open(*guard->rules_for_tool(tool, now), now);
    }
    constexpr std::array<std::string_view, 3> kNames{"local", "package", "github:search"};
    return std::ranges::count_if(guard->circuits(now), [&](const guard::CircuitView& circuit) {
        return std::ranges::any_of(
            kNames, [&](std::string_view name) { return circuit.name.ends_with(name); });
    });
}

TEST(ServerGuardsTest, HaveAsManyCircuitsAsTheLimitAllows) {
    EXPECT_EQ(circuits_in_use(10), 3);
    EXPECT_EQ(circuits_in_use(2), 2);
}

}  // namespace
}  // namespace holdfast::runtime
