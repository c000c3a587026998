#pragma once

#include <optional>
#include <string_view>

namespace holdfast::agents {

/// Returns the name of a log level in static storage; nothing if there is no such level.
[[nodiscard]] std::optional<std::string_view> log_level_named(std::string_view name) noexcept;

/// Whether a log message with these params is at or above the level. An empty level means all
/// messages.
[[nodiscard]] bool is_logged(std::string_view params, std::string_view level);

}  // namespace holdfast::agents
