#pragma once

#include <string>
#include <string_view>

#include "cli/output/line_cut.hpp"

namespace holdfast::cli {

struct FoundToolsView {
    bool explains = false;  ///< With the parts of each score instead of the description.
    LineCut cut = LineCut::none;
};

/// The answer of `find_tools`, from its JSON, as text for people: which step found something and
/// why earlier ones did not, then the tools.
[[nodiscard]] std::string shown_found(std::string_view json, const FoundToolsView& view);

}  // namespace holdfast::cli
