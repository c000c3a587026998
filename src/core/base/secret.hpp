#pragma once

#include <span>
#include <string>
#include <string_view>

namespace holdfast::base {

/// What is shown where a secret was.
inline constexpr std::string_view kRedacted = "[redacted]";

/// Whether a key or variable of this name usually holds a secret: token, api_key, dbPassword,
/// Authorization. Case does not count. Names that only begin like one do not: keyword, author.
[[nodiscard]] bool is_secret_name(std::string_view name);

/// The text with every known secret in it replaced. The time is bounded by the bytes of the text
/// times the number of the secrets.
[[nodiscard]] std::string without_secrets(std::string_view text,
                                          std::span<const std::string> secrets);

/// Whether one of the secrets is in the text as it is written.
[[nodiscard]] bool has_secret(std::string_view text, std::span<const std::string> secrets);

/// Whether the secret that was shown is the one that is known. Takes as long for one that differs
/// in its first letter as for one that differs in its last.
[[nodiscard]] bool is_same_secret(std::string_view known, std::string_view shown) noexcept;

}  // namespace holdfast::base
