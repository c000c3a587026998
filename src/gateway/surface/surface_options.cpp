#include "surface/surface_options.hpp"

#include <algorithm>

#include "base/glob.hpp"

namespace holdfast::surface {
namespace {

/// The average of 17 widely used servers, which list 274 tools.
constexpr std::size_t kToolsOfAServer = 16;

}  // namespace

std::string_view text_of(SurfaceMode mode) noexcept {
    switch (mode) {
        case SurfaceMode::all:
            return "all";
        case SurfaceMode::search:
            return "search";
        case SurfaceMode::routed:
            return "routed";
        case SurfaceMode::automatic:
            break;
    }
    return "auto";
}

SurfaceMode mode_for(const SurfaceOptions& options, std::size_t tools,
                     std::size_t starting_servers) noexcept {
    if (options.mode != SurfaceMode::automatic) {
        return options.mode;
    }
    const std::size_t expected = tools + starting_servers * kToolsOfAServer;
    return expected > options.search_above ? SurfaceMode::search : SurfaceMode::all;
}

bool is_pinned(const SurfaceOptions& options, std::string_view exposed_name,
               std::string_view server, std::string_view own_name) {
    if (options.pinned.empty()) {
        return false;
    }
    std::string full{server};
    full.append(".").append(own_name);
    return std::ranges::any_of(options.pinned, [&](const std::string& pattern) {
        return base::glob_matches(pattern, exposed_name) || base::glob_matches(pattern, full);
    });
}

}  // namespace holdfast::surface
