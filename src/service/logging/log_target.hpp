#pragma once

#include <functional>
#include <optional>
#include <string>

#include "logging/log_line.hpp"

namespace holdfast::logging {

/// What a user chose on the command line.
struct LogChoice {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::text;
};

/// The variable of the environment with this name; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns the options for a log that goes to the descriptor. Text has colours on a terminal,
/// unless NO_COLOR is set to anything or TERM is `dumb`. The reader is the journal if
/// JOURNAL_STREAM names the device and inode of the descriptor.
[[nodiscard]] LogOptions log_options_for(int descriptor, const LogChoice& choice,
                                         const Environment& environment);

}  // namespace holdfast::logging
