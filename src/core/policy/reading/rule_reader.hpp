#pragma once

#include "policy/reading/fragment.hpp"

namespace holdfast::policy {

/// Reads the section `tools` into the fragment, whose policies and circuits must be there already.
void read_rules(const ReadScope& scope, const config::Node& section, const OuterNames* outer,
                Fragment& fragment);

}  // namespace holdfast::policy
