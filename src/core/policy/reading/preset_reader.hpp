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

/// Reads a preset with its variables filled in. What is wrong is mostly the value of a variable.
[[nodiscard]] Fragment read_preset(const Preset& preset, const config::Environment& environment,
                                   config::FaultReport& report, config::SecretList& secrets);

}  // namespace holdfast::policy
