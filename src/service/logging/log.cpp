#include "logging/log.hpp"

#include <ostream>
#include <string>
#include <utility>

#include "base/counted.hpp"
#include "platform/log_buffer.hpp"

namespace holdfast::logging {
namespace {

std::string dropped_line(std::size_t count, std::int64_t at_ms, const LogOptions& options) {
    const std::string message = fmt::format("dropped {}, which could not be written in time",
                                            base::counted(count, "log line"));
    const LogField field{"count", count};
    return log_line({.at_ms = at_ms,
                     .level = LogLevel::warn,
                     .event = "log_dropped",
                     .message = message,
                     .fields = {&field, 1}},
                    options);
}

}  // namespace

Log::Log(std::ostream& out, const LogOptions& options, Clock now_ms)
    : out_(out), options_(options), now_ms_(std::move(now_ms)) {
    if (auto* const buffer = dynamic_cast<platform::LogBuffer*>(out.rdbuf())) {
        buffer->set_drop_note([options, now_ms = now_ms_](std::size_t count) {
            return dropped_line(count, now_ms(), options);
        });
    }
}

void Log::format(LogLevel level, std::string_view event, LogFields fields, fmt::string_view text,
                 fmt::format_args values) const {
    if (!is_on(level)) {
        return;
    }
    const std::string message = fmt::vformat(text, values);
    const LogRecord record{.at_ms = now_ms_(),
                           .level = level,
                           .event = event,
                           .message = message,
                           .fields = {fields.begin(), fields.size()}};
    // One insertion, so that lines of several threads do not mix.
    out_ << log_line(record, options_) << std::flush;
}

}  // namespace holdfast::logging
