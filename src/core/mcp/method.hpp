#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::mcp {

/// What the gateway must know of a method that a client sends to a server.
struct Method {
    std::string_view name;
    bool in_legacy;
    bool in_modern;
    /// Whether sending it twice does no harm. A `tools/call` is decided by its tool.
    bool is_safe;
    /// The member of `params` that the header `Mcp-Name` repeats; empty = no such header.
    std::string_view named_by;
    /// Whether the answer may ask the client for input first.
    bool may_ask_for_input;
    /// Whether a modern result must say how long it may be kept.
    bool has_cache_hints;
};

/// A request of that name, or null if no revision knows it.
[[nodiscard]] const Method* find_method(std::string_view name) noexcept;

}  // namespace holdfast::mcp
