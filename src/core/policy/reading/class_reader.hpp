#pragma once

#include <vector>

#include "config/fault_report.hpp"
#include "config/key_info.hpp"
#include "config/node.hpp"
#include "policy/error_class.hpp"

namespace holdfast::policy {

/// Reads the section `classes`. `known` has the classes that it changes or extends.
[[nodiscard]] std::vector<ClassChange> read_classes(config::FaultReport& report,
                                                    const config::Node& section,
                                                    const ErrorClasses& known);

[[nodiscard]] std::vector<config::KeyInfo> class_keys();

}  // namespace holdfast::policy
