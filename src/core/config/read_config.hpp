#pragma once

#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/document.hpp"
#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "holdfast/resilience/result.hpp"

namespace holdfast::config {

struct ConfigLimits {
    DocumentLimits document = {};
    InterpolationLimits interpolation = {};
    ReportLimits report = {};
};

struct ConfigOutcome {
    /// The config, or at least one fault, in the order of the file.
    resilience::Result<Config, std::vector<ConfigFault>> config;
    std::vector<ConfigFault> warnings;  ///< There may be some either way.
};

/// Reads the text of a config: a file with `mcpServers` as agents' programs have it (or with the
/// `servers` of VS Code), and the sections of our own. `file_name` is only for messages. Reads no
/// file itself; variables come from `environment`. A server is skipped if nothing but variables is
/// wrong with its entry. No message has the value of a header, of a token, or of a variable with a
/// secret's name in it.
[[nodiscard]] ConfigOutcome read_config(std::string_view file_name, std::string_view text,
                                        const Environment& environment,
                                        const ConfigLimits& limits = {});

}  // namespace holdfast::config
