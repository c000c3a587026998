#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::mcp {

/// What the gateway knows about a method that clients send to servers.
struct Method {
    std::string_view name;
    bool in_legacy;
    bool in_modern;
    /// Whether the request may be sent twice. For `tools/call` the tool decides.
    bool is_safe;
    /// The member of `params` that the header `Mcp-Name` repeats; empty = no such header.
    std::string_view named_by;
    /// Whether the answer may first ask the client for input.
    bool may_ask_for_input;
    /// Whether a modern result must say how long it may be cached.
    bool has_cache_hints;
};

/// Returns the request method of that name, or null if no revision has it.
[[nodiscard]] const Method* find_method(std::string_view name) noexcept;

}  // namespace holdfast::mcp
