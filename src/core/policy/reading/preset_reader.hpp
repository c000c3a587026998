#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "config/secret_list.hpp"
#include "policy/presets.hpp"
#include "policy/reading/fragment.hpp"

namespace holdfast::policy {

/// Reads a preset and substitutes its variables. Most faults are invalid values of variables.
[[nodiscard]] Fragment read_preset(const Preset& preset, const config::Environment& environment,
                                   config::FaultReport& report, config::SecretList& secrets);

}  // namespace holdfast::policy
