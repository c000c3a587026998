#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::jsonrpc {

/// How much of a value is shown.
struct RedactionLimits {
    std::size_t max_bytes = 2'000;       ///< Where the value is cut; what is open is closed.
    std::size_t max_string_bytes = 200;  ///< Of each string and key.
    std::size_t max_depth = 16;          ///< Deeper arrays and objects are left out.
};

/// A JSON value as it may be shown to others, again as JSON: what stands under a key that usually
/// holds a secret is replaced, known secrets are replaced wherever they are, long strings and the
/// whole are cut. Requires valid JSON. Builds no tree; the time is linear in the text.
[[nodiscard]] std::string redacted(std::string_view json, std::span<const std::string> secrets,
                                   const RedactionLimits& limits = {});

/// Whether a known secret is in the strings, keys or numbers of a value, however it is written.
/// Requires valid JSON.
[[nodiscard]] bool holds_secret(std::string_view json, std::span<const std::string> secrets);

}  // namespace holdfast::jsonrpc
