#pragma once

#include <vector>

#include "config/key_info.hpp"
#include "policy/reading/fragment.hpp"

namespace holdfast::policy {

/// Reads the section `tools` into the fragment. Requires that its policies and circuits have been
/// read.
void read_rules(const ReadScope& scope, const config::Node& section, const OuterNames* outer,
                Fragment& fragment);

[[nodiscard]] std::vector<config::KeyInfo> rule_keys();

}  // namespace holdfast::policy
