#pragma once

#include <string>
#include <vector>

#include "base/local_access.hpp"
#include "config/config.hpp"
#include "runtime/loaded_config.hpp"
#include "runtime/service_log.hpp"
#include "surface/callable.hpp"

namespace holdfast::runtime {

/// Returns the changed sections that are read only at the start.
[[nodiscard]] std::vector<std::string> sections_for_a_restart(const config::Config& before,
                                                              const config::Config& after);

/// Which servers were added, changed and removed.
[[nodiscard]] ServerChanges describe_change(const std::vector<surface::Server>& before,
                                            const std::vector<surface::Server>& after);

/// Who may connect as an agent.
struct AccessRules {
    std::vector<config::NamedText> tokens = {};
    base::LocalAccess local = {};
};
[[nodiscard]] AccessRules access_rules_of(const LoadedConfig& loaded);

/// Whether a principal of before has no access any more, or another credential.
[[nodiscard]] bool loses_access(const std::string& principal, const AccessRules& before,
                                const AccessRules& after);

}  // namespace holdfast::runtime
