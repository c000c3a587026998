#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault_report.hpp"
#include "config/node.hpp"
#include "policy/error_class.hpp"
#include "policy/reading/policy_layer.hpp"

namespace holdfast::policy {

/// The policy that all others of a file extend.
inline constexpr std::string_view kDefaultPolicy = "default";

struct NamedPolicy {
    PolicyLayer layer = {};
    std::string extends = {};  ///< Empty = only the default.
};
using NamedPolicies = std::map<std::string, NamedPolicy, std::less<>>;

/// What the readers of one file share.
struct ReadScope {
    config::FaultReport& report;
    std::string source = {};  ///< Prefix of "policies.slow"; empty for the user's file.
    const ErrorClasses& classes;
};

/// Reads the section `policies`.
[[nodiscard]] NamedPolicies read_policies(const ReadScope& scope, const config::Node& section);

/// Reads one entry of `circuits`.
[[nodiscard]] PolicyLayer read_circuit(config::FaultReport& report, const config::Node& entry,
                                       const std::string& path);

/// Returns the layers of a policy, the base first. `default` is below all other layers and only
/// included if requested. Requires policies without a cycle.
[[nodiscard]] std::vector<const PolicyLayer*> layers_of(const NamedPolicies& policies,
                                                        std::string_view name);

/// Rejects a name that is not in the list and suggests the nearest one.
void refuse_unknown_name(config::FaultReport& report, const config::Node& value,
                         const std::string& path, std::string_view what,
                         std::span<const std::string_view> names);

}  // namespace holdfast::policy
