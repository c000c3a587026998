#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace holdfast::logging {

enum class LogLevel : std::uint8_t {
    error,  ///< The gateway cannot do what it was started for.
    warn,   ///< Something fails or is ignored; an operator may want to act.
    info,   ///< A change of state that is part of normal operation.
    debug,
};

[[nodiscard]] std::string_view text_of(LogLevel level) noexcept;
[[nodiscard]] std::optional<LogLevel> parsed_log_level(std::string_view text) noexcept;

enum class LogFormat : std::uint8_t {
    text,   ///< `2026-11-17T10:15:00.123Z warn circuit "search" opened for 30 s`
    json,   ///< One object per line: `time`, `level`, `event`, `message`, then the fields.
    plain,  ///< `holdfast: warning: …`, for commands that report on a terminal.
};

struct LogOptions {
    LogLevel level = LogLevel::info;  ///< Lines of higher levels are not written.
    LogFormat format = LogFormat::text;
    /// The reader is the systemd journal: a line begins with its priority, such as `<4>`, and text
    /// has no time, since the journal adds its own.
    bool is_journal = false;
    bool has_colour = false;  ///< Colours the level of text.
};

/// A value that belongs to a message, by name. Refers to its text.
class LogField final {
public:
    // NOLINTBEGIN(google-explicit-constructor): written as {"name", value} in a list of fields.
    LogField(std::string_view name, std::string_view text) : name_(name), value_(text) {}
    template <std::integral Number>
    LogField(std::string_view name, Number number)
        : name_(name), value_(static_cast<std::int64_t>(number)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] const std::variant<std::string_view, std::int64_t>& value() const noexcept {
        return value_;
    }

private:
    std::string_view name_;
    std::variant<std::string_view, std::int64_t> value_;
};

/// What one line of the log says.
struct LogRecord {
    std::int64_t at_ms = 0;  ///< Since the epoch.
    LogLevel level = LogLevel::info;
    std::string_view event = {};  ///< An identifier, such as `circuit_opened`.
    std::string_view message = {};
    std::span<const LogField> fields = {};  ///< Not named `time`, `level`, `event` or `message`.
};

/// Returns the line with its newline. Control characters of the message, newlines included, are
/// replaced: a record is always one line.
[[nodiscard]] std::string log_line(const LogRecord& record, const LogOptions& options);

}  // namespace holdfast::logging
