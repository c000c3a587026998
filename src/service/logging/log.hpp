#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <string_view>

#include "logging/log_line.hpp"
#include "platform/wall_clock.hpp"

namespace holdfast::logging {

using LogFields = std::initializer_list<LogField>;

/// Writes levelled lines to a stream, each in one piece. A message begins with what happened, in
/// lower case and without a full stop; the fields repeat its values for programs.
///
///     log.warn("circuit_opened", {{"circuit", name}}, "circuit \"{}\" opened", name);
///
/// If the stream writes through a `platform::LogBuffer`, the note about lines that were dropped has
/// the format of this log.
///
/// A copy writes to the same stream.
///
/// Thread-safety: from any thread, if the stream takes whole lines from any thread.
class Log final {
public:
    using Clock = std::function<std::int64_t()>;  ///< Milliseconds since the epoch.

    /// The stream must outlive it.
    Log(std::ostream& out, const LogOptions& options, Clock now_ms = platform::wall_clock_ms);

    [[nodiscard]] bool is_on(LogLevel level) const noexcept { return level <= options_.level; }

    template <class... Values>
    void error(std::string_view event, LogFields fields, fmt::format_string<Values...> text,
               Values&&... values) const {
        format(LogLevel::error, event, fields, text, fmt::make_format_args(values...));
    }
    template <class... Values>
    void warn(std::string_view event, LogFields fields, fmt::format_string<Values...> text,
              Values&&... values) const {
        format(LogLevel::warn, event, fields, text, fmt::make_format_args(values...));
    }
    template <class... Values>
    void info(std::string_view event, LogFields fields, fmt::format_string<Values...> text,
              Values&&... values) const {
        format(LogLevel::info, event, fields, text, fmt::make_format_args(values...));
    }
    template <class... Values>
    void debug(std::string_view event, LogFields fields, fmt::format_string<Values...> text,
               Values&&... values) const {
        format(LogLevel::debug, event, fields, text, fmt::make_format_args(values...));
    }

private:
    void format(LogLevel level, std::string_view event, LogFields fields, fmt::string_view text,
                fmt::format_args values) const;

    std::ostream& out_;
    LogOptions options_;
    Clock now_ms_;
};

}  // namespace holdfast::logging
