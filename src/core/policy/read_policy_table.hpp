#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "holdfast/resilience/result.hpp"
#include "policy/policy_table.hpp"
#include "policy/presets.hpp"

namespace holdfast::policy {

struct PolicyTableOutcome {
    /// The table, or at least one fault; faults of the file come before those of the gateway's
    /// preset.
    resilience::Result<PolicyTable, std::vector<config::ConfigFault>> table;
    std::vector<config::ConfigFault> warnings;  ///< Possible in both cases.
    /// Values of secret variables in the presets, which must not be shown. Sorted and unique.
    std::vector<std::string> secrets;
    /// Servers whose entry or preset has an invalid variable. The table contains them too.
    std::vector<config::SkippedServer> skipped = {};
    /// What the author of the file may not know: timeouts that clients do not wait for.
    std::vector<config::ConfigFault> hints = {};
    /// Variables of the presets that supplied a value as the default of another one.
    std::vector<config::SecondChoice> second_choices = {};
};

/// Reads `policies`, `classes`, `circuits`, `tools` and `preset` of a config, and the presets that
/// it names, whose variables come from `environment`.
[[nodiscard]] PolicyTableOutcome read_policy_table(const config::Config& config,
                                                   const config::Environment& environment,
                                                   std::span<const Preset> available = presets());

}  // namespace holdfast::policy
