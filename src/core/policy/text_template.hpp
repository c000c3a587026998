#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::policy {

/// The placeholders that a text of a policy may have in braces.
inline constexpr std::array<std::string_view, 13> kPlaceholders = {
    "seconds",  ///< Whole seconds left, at least 1.
    "server",       "tool", "circuit", "attempts",
    "attemptCount",  ///< "1 attempt", "3 attempts".
    "status",        ///< Of HTTP.
    "detail",        ///< The message of the downstream, or what happened.
    "lastError",     ///< The reason of the last failure, in short.
    "arguments",     ///< Redacted.
    "code",         "hint",
    "uncertain",  ///< A warning that the call may have taken effect; empty if it cannot.
};

struct TemplateValue {
    std::string_view name;
    std::string_view value;
};

/// Replaces each `{name}` in the text by its value. A placeholder without a value becomes empty;
/// other braces stay. Values are not searched for placeholders. Removes trailing spaces and doubled
/// full stops.
[[nodiscard]] std::string filled(std::string_view text, std::span<const TemplateValue> values);

/// Returns the first unknown `{name}`, or nothing. Braces around anything but letters are plain
/// text.
[[nodiscard]] std::optional<std::string_view> unknown_placeholder(std::string_view text);

}  // namespace holdfast::policy
