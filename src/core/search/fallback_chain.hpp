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

// A search that never fails. It runs the steps hybrid, keyword, fallback tools and all tools until
// the answer has enough tools. Each step adds to the tools of the previous steps.

namespace holdfast::search {

enum class SearchStep : std::uint8_t { hybrid, keyword, fallback_tools, all_tools };

/// What a step is called: for programs, in answers, events and the admin API; and in sentences.
struct StepNames {
    std::string_view name;   ///< `hybrid`, `keyword`, `fallback_tools`, `all_tools`
    std::string_view words;  ///< `semantic search`, `keyword search` and so on.
};
/// For no step, both are `none`.
[[nodiscard]] const StepNames& names_of(std::optional<SearchStep> step) noexcept;
[[nodiscard]] inline std::string_view name_of(std::optional<SearchStep> step) noexcept {
    return names_of(step).name;
}

struct FallbackOptions {
    std::size_t max_tools = 5;  ///< In the whole answer.
    /// If there are fewer tools, or none at all, the configured fallback tools are added, then
    /// tools of the catalogue up to this number. 0 = an answer may be empty.
    std::size_t min_tools = 0;
    /// The search ranks `max_tools` times this factor, so that unavailable tools and tools above
    /// the limit per server can be replaced.
    std::size_t candidate_factor = 2;
    /// Limit per server for tools found by a search or taken from the catalogue; `min_tools`
    /// overrides it. 0 = no limit.
    std::size_t max_per_server = 0;
    std::vector<std::string> fallback_tools = {};  ///< Ids; unknown ones are ignored.
    QueryLimits query = {};
    FusionOptions fusion = {};
};

/// A tool of the catalogue, indexed or not.
struct ListedTool {
    std::string_view id = {};
    std::string_view server = {};
};

/// The inputs of a search; all of them must outlive the call.
struct SearchRequest {
    std::string_view query = {};
    const ToolIndex* index = nullptr;    ///< Null if there is none yet.
    const Embedder* embedder = nullptr;  ///< Null if only keyword search is wanted.
    /// Shown in the answer, such as "there is no model".
    std::string_view why_no_embedder = {};
    std::span<const ListedTool> catalogue = {};  ///< In the order in which agents see it.
    /// Returns true when the time for embedding the query is up.
    StopSignal is_late = {};
    /// Returns whether the tool can be called now, for example whether its circuit is closed. Empty
    /// = all can.
    std::function<bool(const ListedTool& tool)> is_available = {};
    /// Returns whether a tool of the index is still in the catalogue. Empty = all are.
    std::function<bool(std::string_view id)> is_listed = {};
};

struct FoundTool {
    std::string id = {};
    std::string server = {};
    bool is_available = true;
    SearchStep step = SearchStep::all_tools;  ///< The step that added it.
    /// Why the search found it; nothing in the steps that do not search.
    std::optional<RankedTool> ranking = std::nullopt;
};

/// A step that did not find enough, and the reason as text to show.
struct StepLeft {
    SearchStep step = SearchStep::hybrid;
    std::string reason = {};

    friend bool operator==(const StepLeft&, const StepLeft&) = default;
};

struct SearchAnswer {
    std::optional<SearchStep> step = std::nullopt;  ///< The first step that found something.
    std::vector<StepLeft> left = {};
    /// In the order of the steps, best first; unavailable tools come last.
    std::vector<FoundTool> tools = {};
};

/// Never fails. Reads no clock; the caller's `is_late` does.
[[nodiscard]] SearchAnswer find_tools(const SearchRequest& request,
                                      const FallbackOptions& options = {});

}  // namespace holdfast::search
