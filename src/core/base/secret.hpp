#pragma once

#include <span>
#include <string>
#include <string_view>

namespace holdfast::base {

/// Replaces a secret in shown text.
inline constexpr std::string_view kRedacted = "[redacted]";

/// Returns whether a key or variable of this name usually holds a secret: token, api_key,
/// dbPassword, Authorization. Ignores case. Names that merely begin like one do not match: keyword,
/// author.
[[nodiscard]] bool is_secret_name(std::string_view name);

/// Replaces every known secret in the text. The time is bounded by the size of the text times the
/// number of secrets.
[[nodiscard]] std::string without_secrets(std::string_view text,
                                          std::span<const std::string> secrets);

/// Returns whether the text contains one of the secrets literally.
[[nodiscard]] bool has_secret(std::string_view text, std::span<const std::string> secrets);

/// Compares a secret that a caller presented with the known one, in constant time: the position of
/// the first difference cannot be measured.
[[nodiscard]] bool is_same_secret(std::string_view known, std::string_view shown) noexcept;

}  // namespace holdfast::base
