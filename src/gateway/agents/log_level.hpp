#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::agents {

/// Returns the name of a log level in static storage; nothing if there is no such level.
[[nodiscard]] std::optional<std::string_view> log_level_named(std::string_view name) noexcept;

/// The rank of a level, from 1 for the least severe one; 0 if there is no such level.
[[nodiscard]] std::uint8_t log_severity(std::string_view name) noexcept;
/// The name of the level with that rank in static storage; empty for 0.
[[nodiscard]] std::string_view log_level_of(std::uint8_t severity) noexcept;

/// Whether a log message with these params is at or above the level. An empty level means all
/// messages.
[[nodiscard]] bool is_logged(std::string_view params, std::string_view level);

}  // namespace holdfast::agents
