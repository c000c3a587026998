#pragma once

#include "policy/reading/fragment.hpp"

namespace holdfast::policy {

/// Reads the section `tools` into the fragment. Requires that its policies and circuits have been
/// read.
void read_rules(const ReadScope& scope, const config::Node& section, const OuterNames* outer,
                Fragment& fragment);

}  // namespace holdfast::policy
