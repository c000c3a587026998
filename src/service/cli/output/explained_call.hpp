#pragma once

#include <string>
#include <string_view>

#include "cli/output/line_cut.hpp"

namespace holdfast::cli {

/// One call of a gateway, from its JSON, as text for people: what happened to it, then the policy
/// in effect with the source of each value.
[[nodiscard]] std::string shown_call(std::string_view json, LineCut cut);

}  // namespace holdfast::cli
