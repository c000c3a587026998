#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::jsonrpc {

/// Limits of the shown part of a value.
struct RedactionLimits {
    std::size_t max_bytes = 2'000;       ///< The whole text is cut here; open brackets are closed.
    std::size_t max_string_bytes = 200;  ///< Of each string and key.
    std::size_t max_depth = 16;          ///< Deeper arrays and objects are omitted.
};

/// Returns a JSON value that may be shown to others, again as JSON. Replaces values whose key
/// usually holds a secret and known secrets everywhere, and cuts long strings and the whole text.
/// Requires valid JSON. Builds no tree; the time is linear in the text.
[[nodiscard]] std::string redacted(std::string_view json, std::span<const std::string> secrets,
                                   const RedactionLimits& limits = {});

/// Returns whether the strings, keys or numbers of a value contain a known secret, with or without
/// escapes. Requires valid JSON.
[[nodiscard]] bool holds_secret(std::string_view json, std::span<const std::string> secrets);

}  // namespace holdfast::jsonrpc
