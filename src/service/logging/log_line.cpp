#include "logging/log_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/iso_time.hpp"
#include "base/printable.hpp"
#include "jsonrpc/json_writer.hpp"

namespace holdfast::logging {
namespace {

struct LevelTraits {
    LogLevel level;
    std::string_view text;
    int priority;  // of syslog, as systemd reads it
    std::string_view colour;
};

constexpr std::array<LevelTraits, 4> kLevels{{
    {.level = LogLevel::error, .text = "error", .priority = 3, .colour = "\x1b[31m"},
    {.level = LogLevel::warn, .text = "warn", .priority = 4, .colour = "\x1b[33m"},
    {.level = LogLevel::info, .text = "info", .priority = 6, .colour = "\x1b[32m"},
    {.level = LogLevel::debug, .text = "debug", .priority = 7, .colour = "\x1b[2m"},
}};
constexpr std::string_view kNoColour = "\x1b[0m";

const LevelTraits& traits_of(LogLevel level) {
    return kLevels[static_cast<std::size_t>(level)];
}

std::string one_line(std::string_view message) {
    std::string line = base::shown_text(message);
    std::ranges::replace(line, '\n', ' ');
    return line;
}

std::string json_of(const LogRecord& record) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("time").text(base::iso_time(record.at_ms));
    out.key("level").text(text_of(record.level));
    out.key("event").text(record.event).key("message").text(record.message);
    for (const LogField& field : record.fields) {
        out.key(field.name());
        if (const auto* number = std::get_if<std::int64_t>(&field.value())) {
            out.number(*number);
        } else {
            out.text(std::get<std::string_view>(field.value()));
        }
    }
    return out.end_object().take();
}

std::string text_line(const LogRecord& record, const LogOptions& options) {
    const LevelTraits& level = traits_of(record.level);
    if (options.is_journal) {
        return one_line(record.message);
    }
    return fmt::format("{} {}{}{} {}", base::iso_time(record.at_ms),
                       options.has_colour ? level.colour : "", level.text,
                       options.has_colour ? kNoColour : "", one_line(record.message));
}

std::string plain_line(const LogRecord& record) {
    return fmt::format("holdfast: {}{}", record.level == LogLevel::warn ? "warning: " : "",
                       one_line(record.message));
}

}  // namespace

std::string_view text_of(LogLevel level) noexcept {
    return traits_of(level).text;
}

std::optional<LogLevel> parsed_log_level(std::string_view text) noexcept {
    const auto* const found = std::ranges::find(kLevels, text, &LevelTraits::text);
    return found == kLevels.end() ? std::nullopt : std::optional{found->level};
}

std::string log_line(const LogRecord& record, const LogOptions& options) {
    std::string line;
    if (options.is_journal) {
        line = fmt::format("<{}>", traits_of(record.level).priority);
    }
    switch (options.format) {
        case LogFormat::text:
            line += text_line(record, options);
            break;
        case LogFormat::json:
            line += json_of(record);
            break;
        case LogFormat::plain:
            line += plain_line(record);
            break;
    }
    return line += '\n';
}

}  // namespace holdfast::logging
