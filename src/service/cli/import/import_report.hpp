#pragma once

#include <string>

#include "cli/import/client_advice.hpp"
#include "cli/import/import_plan.hpp"

namespace holdfast::cli {

/// What an import did, for those who asked for it. No value of an entry is in it.
struct ImportReport {
    ImportPlan plan = {};
    OwnAddress address = {};
    bool is_written = false;  ///< Else nothing was to be added, or it was only tried.
};

[[nodiscard]] std::string report_text(const ImportReport& report);
[[nodiscard]] std::string report_json(const ImportReport& report);

}  // namespace holdfast::cli
