#pragma once

#include <algorithm>
#include <string_view>

namespace holdfast::admin {

// Prefixes of paths that continue with a name.
inline constexpr std::string_view kCalls = "/api/calls/";
inline constexpr std::string_view kCircuits = "/api/circuits/";
inline constexpr std::string_view kServers = "/api/servers/";
inline constexpr std::string_view kPage = "/ui/";

/// Returns the part of the path after the prefix.
[[nodiscard]] inline std::string_view behind(std::string_view path, std::string_view beginning) {
    return path.substr(std::min(beginning.size(), path.size()));
}

}  // namespace holdfast::admin
