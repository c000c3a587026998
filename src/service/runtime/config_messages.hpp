#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "logging/log_line.hpp"

namespace holdfast::runtime {

/// One line about a config: why it cannot be used (`error`), what looks wrong in it (`warn`), what
/// is worth knowing (`info`), or which files were looked at (`debug`, only for a log).
struct ConfigMessage {
    logging::LogLevel level = logging::LogLevel::warn;
    std::string text = {};
};
using ConfigMessages = std::vector<ConfigMessage>;

/// Prints the messages for a command: `holdfast: warning: …`, `holdfast: …`.
void print(const ConfigMessages& messages, std::ostream& errors);

/// The messages in one text, a line each.
[[nodiscard]] std::string joined(const ConfigMessages& messages);
/// The same for those that make the config invalid.
[[nodiscard]] std::string errors_in(const ConfigMessages& messages);

}  // namespace holdfast::runtime
