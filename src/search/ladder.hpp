#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/embedder.hpp"
#include "search/ranking.hpp"
#include "search/search_query.hpp"
#include "search/tool_index.hpp"

// A search that always answers: hybrid, keyword, configured fallback tools, all tools. A step is
// left when it cannot be taken, comes too late or finds too little; the answer tells which one it
// is from and why each one before was left.

namespace holdfast::search {

enum class LadderStep : std::uint8_t { hybrid, keyword, fallback_tools, all_tools };

/// `hybrid`, `keyword`, `fallback_tools` or `all_tools`.
[[nodiscard]] std::string_view name_of(LadderStep step) noexcept;

struct LadderOptions {
    std::size_t max_tools = 10;  ///< In the answer, of every step.
    std::size_t min_tools = 1;   ///< A step that finds fewer is left.
    /// So many times `max_tools` are ranked, so that health and the cap have a choice.
    std::size_t candidate_factor = 2;
    std::size_t max_per_server = 0;                ///< 0 = no cap.
    std::vector<std::string> fallback_tools = {};  ///< Ids; those that do not exist are ignored.
    QueryLimits query = {};
    FusionOptions fusion = {};
};

/// A tool of the catalogue, whether it is indexed or not.
struct ListedTool {
    std::string_view id = {};
    std::string_view server = {};
};

/// What a search needs; all of it must outlive the call.
struct LadderRequest {
    std::string_view query = {};
    const ToolIndex* index = nullptr;            ///< Null when there is none yet.
    const Embedder* embedder = nullptr;          ///< Null for keyword search by choice.
    std::string_view why_no_embedder = {};       ///< For the answer, such as "there is no model".
    std::span<const ListedTool> catalogue = {};  ///< In the order in which agents see it.
    /// Becomes true when the time for embedding the query is up.
    StopSignal is_late = {};
    /// Whether the tool can be called now; without it all can. An open circuit says no.
    std::function<bool(const ListedTool& tool)> is_available = {};
};

struct FoundTool {
    std::string id = {};
    std::string server = {};
    bool is_available = true;
    /// What it was found by; nothing in the steps that do not search.
    std::optional<RankedTool> ranking = std::nullopt;
};

/// A step that was left, and why, in words that may be shown.
struct StepLeft {
    LadderStep step = LadderStep::hybrid;
    std::string reason = {};

    friend bool operator==(const StepLeft&, const StepLeft&) = default;
};

struct LadderAnswer {
    LadderStep step = LadderStep::all_tools;
    std::vector<StepLeft> left = {};
    /// Best first; those that are not available come last. Empty only for an empty catalogue.
    std::vector<FoundTool> tools = {};
};

/// Never fails. Reads no clock: the caller's `is_late` does.
[[nodiscard]] LadderAnswer find_tools(const LadderRequest& request,
                                      const LadderOptions& options = {});

}  // namespace holdfast::search
