#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::policy {

/// What may stand in braces in a text of a policy.
inline constexpr std::array<std::string_view, 13> kPlaceholders = {
    "seconds",  ///< Whole seconds left, at least 1.
    "server",       "tool", "circuit", "attempts",
    "attemptCount",  ///< "1 attempt", "3 attempts".
    "status",        ///< Of HTTP.
    "detail",        ///< What the downstream said, or what happened.
    "lastError",     ///< Why the last attempt failed, in a few words.
    "arguments",     ///< Redacted.
    "code",         "hint",
    "uncertain",  ///< That the call may have had an effect, when it may.
};

struct TemplateValue {
    std::string_view name;
    std::string_view value;
};

/// The text with each `{name}` replaced by its value; one without a value becomes empty, and what
/// is no placeholder stays. Values are not looked into. Spaces that this leaves at the end are cut,
/// and of two full stops that meet one stays.
[[nodiscard]] std::string filled(std::string_view text, std::span<const TemplateValue> values);

/// The first `{name}` that no placeholder has; nothing when the text is fine. Braces around
/// anything but letters are ordinary characters.
[[nodiscard]] std::optional<std::string_view> unknown_placeholder(std::string_view text);

}  // namespace holdfast::policy
