#pragma once

#include <memory>
#include <string>

#include "config/read_config.hpp"
#include "guard/safeguards.hpp"
#include "holdfast/resilience/expect.hpp"
#include "policy/read_policy_table.hpp"

namespace holdfast::testing {

/// The policies of a config with that server, that `policies.default` and those `tools`, as JSON.
inline policy::PolicyTable policies_of(const std::string& server, const std::string& policy,
                                       const std::string& tool_rules = "[]") {
    const std::string text = R"({"mcpServers": {")" + server +
                             R"(": {"command": "x"}}, "policies": {"default": )" + policy +
                             R"(}, "tools": )" + tool_rules + "}";
    auto config = config::read_config(
        "test.json", text, [](std::string_view) { return std::optional<std::string>{}; });
    HOLDFAST_EXPECT(config.config.has_value());
    auto policies = policy::read_policy_table(*config.config, {});
    HOLDFAST_EXPECT(policies.table.has_value());
    return *std::move(policies.table);
}

/// The guard of a server under a `policies.default` and `tools` of the test's own, as JSON.
inline std::shared_ptr<guard::ServerGuard> guard_with(const std::string& server,
                                                      const std::string& policy,
                                                      resilience::Observer* observer = nullptr,
                                                      const std::string& tool_rules = "[]") {
    return std::make_shared<guard::Safeguards>(guard::SafeguardsOptions{}, observer)
        ->guard_of(server, policies_of(server, policy, tool_rules));
}

}  // namespace holdfast::testing
