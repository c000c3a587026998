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
    search,     ///< The search tools and the pinned tools.
    routed,     ///< The same and the results of the agent's last query.
    automatic,  ///< All tools up to a limit, then `search`.
};

/// `all`, `search`, `routed` or `auto`.
[[nodiscard]] std::string_view text_of(SurfaceMode mode) noexcept;

struct SurfaceOptions {
    SurfaceMode mode = SurfaceMode::all;
    std::size_t search_above = 60;         ///< Number of tools; for `automatic`.
    std::vector<std::string> pinned = {};  ///< Patterns for exposed names, or for `server.tool`.
    /// How tools are found. Fallback tools may also be named `server.tool`.
    search::FallbackOptions ladder = {};
    std::size_t suggested_names = 3;  ///< For an agent that calls an unknown tool.
    std::size_t max_limit = 50;       ///< The largest limit that an agent may request.
    /// The rest of a longer query is ignored.
    std::size_t max_query_bytes = std::size_t{16} * 1024;
    std::size_t max_answer_bytes = std::size_t{128} * 1024;  ///< Limit for a search answer.
    std::size_t max_schema_bytes = std::size_t{8} * 1024;    ///< A longer schema is omitted.
    std::size_t max_description_bytes = 500;                 ///< A longer description is cut.
    std::size_t max_agents = 10'000;  ///< Agents with a stored last query; the oldest is evicted.
};

/// Resolves `automatic` for this number of tools; returns other modes unchanged.
[[nodiscard]] SurfaceMode mode_for(const SurfaceOptions& options, std::size_t tools) noexcept;

/// Whether the tool matches a pinned pattern.
[[nodiscard]] bool is_pinned(const SurfaceOptions& options, std::string_view exposed_name,
                             std::string_view server, std::string_view own_name);

}  // namespace holdfast::surface
