#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/fallback_chain.hpp"

namespace holdfast::surface {

/// Which tools an agent sees in `tools/list`. Every tool can be called in every mode.
enum class SurfaceMode : std::uint8_t {
    all,        ///< Every tool.
    search,     ///< Those to search with, and those that are pinned.
    routed,     ///< The same, and what was found for the agent's last query.
    automatic,  ///< All, up to a number of tools; then search.
};

/// `all`, `search`, `routed` or `auto`.
[[nodiscard]] std::string_view text_of(SurfaceMode mode) noexcept;

struct SurfaceOptions {
    SurfaceMode mode = SurfaceMode::all;
    std::size_t search_above = 60;         ///< Tools, for `automatic`.
    std::vector<std::string> pinned = {};  ///< Patterns for exposed names, or for `server.tool`.
    /// How tools are found. The fallback tools may be named `server.tool` too.
    search::FallbackOptions ladder = {};
    std::size_t suggested_names = 3;  ///< For an agent that calls a tool that does not exist.
    std::size_t max_limit = 50;       ///< What an agent may ask for.
    std::size_t max_query_bytes = std::size_t{16} * 1024;    ///< More of a query is not read.
    std::size_t max_answer_bytes = std::size_t{128} * 1024;  ///< Of what was found.
    std::size_t max_schema_bytes = std::size_t{8} * 1024;    ///< A longer one is left out.
    std::size_t max_description_bytes = 500;                 ///< More is cut off.
    std::size_t max_agents = 10'000;  ///< Whose last query is known; then the oldest is forgotten.
};

/// What `automatic` means for so many tools; another mode is what it is.
[[nodiscard]] SurfaceMode mode_for(const SurfaceOptions& options, std::size_t tools) noexcept;

/// Whether a tool is one of the pinned.
[[nodiscard]] bool is_pinned(const SurfaceOptions& options, std::string_view exposed_name,
                             std::string_view server, std::string_view own_name);

}  // namespace holdfast::surface
