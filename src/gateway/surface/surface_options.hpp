#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/time.hpp"
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
    /// Names that differ too much from the unknown one are not suggested.
    bool suggests_only_likely = true;
    std::size_t max_limit = 50;  ///< The largest limit that an agent may request.
    /// The rest of a longer query is ignored.
    std::size_t max_query_bytes = std::size_t{16} * 1024;
    std::size_t answer_bytes = std::size_t{4} * 1024;  ///< For a search answer with several tools.
    std::size_t max_description_bytes = 500;           ///< A longer description is cut.
    /// How long after the start a list request may wait for servers that never listed anything.
    resilience::Duration first_list_wait = std::chrono::milliseconds{1'500};
    std::size_t max_agents = 10'000;  ///< Agents with a stored last query; the oldest is evicted.
};

/// Resolves `automatic` for this number of tools, and of servers that start and whose tools are not
/// known yet; returns other modes unchanged.
[[nodiscard]] SurfaceMode mode_for(const SurfaceOptions& options, std::size_t tools,
                                   std::size_t starting_servers = 0) noexcept;

/// Whether the tool matches a pinned pattern.
[[nodiscard]] bool is_pinned(const SurfaceOptions& options, std::string_view exposed_name,
                             std::string_view server, std::string_view own_name);

}  // namespace holdfast::surface
