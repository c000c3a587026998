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

// A search that never fails. It takes the steps hybrid, keyword, fallback tools and all tools until
// the answer has enough tools. What a step found is kept; the next step adds to it.

namespace holdfast::search {

enum class SearchStep : std::uint8_t { hybrid, keyword, fallback_tools, all_tools };

/// `hybrid`, `keyword`, `fallback_tools` or `all_tools`; `none` for no step.
[[nodiscard]] std::string_view name_of(std::optional<SearchStep> step) noexcept;

struct FallbackOptions {
    std::size_t max_tools = 5;  ///< In the whole answer.
    /// The configured fallback tools are added while there are fewer tools, or none; then tools of
    /// the catalogue up to this number. 0 = an answer may be empty.
    std::size_t min_tools = 0;
    /// `max_tools` times this factor are ranked, so that health and the cap have a choice.
    std::size_t candidate_factor = 2;
    /// Of those that a search found and of the catalogue's; the minimum is stronger. 0 = no cap.
    std::size_t max_per_server = 0;
    std::vector<std::string> fallback_tools = {};  ///< Ids; unknown ones are ignored.
    QueryLimits query = {};
    FusionOptions fusion = {};
};

/// A tool of the catalogue, whether it is indexed or not.
struct ListedTool {
    std::string_view id = {};
    std::string_view server = {};
};

/// What a search needs; all of it must outlive the call.
struct SearchRequest {
    std::string_view query = {};
    const ToolIndex* index = nullptr;            ///< Null when there is none yet.
    const Embedder* embedder = nullptr;          ///< Null for keyword search by choice.
    std::string_view why_no_embedder = {};       ///< For the answer, such as "there is no model".
    std::span<const ListedTool> catalogue = {};  ///< In the order in which agents see it.
    /// Becomes true when the time for embedding the query is up.
    StopSignal is_late = {};
    /// Whether the tool can be called now; without it all can. An open circuit says no.
    std::function<bool(const ListedTool& tool)> is_available = {};
    /// Whether a tool of the index is still in the catalogue; without it all are.
    std::function<bool(std::string_view id)> is_listed = {};
};

struct FoundTool {
    std::string id = {};
    std::string server = {};
    bool is_available = true;
    SearchStep step = SearchStep::all_tools;  ///< That added it.
    /// What it was found by; nothing in the steps that do not search.
    std::optional<RankedTool> ranking = std::nullopt;
};

/// A step after which the search went on, and why, in words that may be shown.
struct StepLeft {
    SearchStep step = SearchStep::hybrid;
    std::string reason = {};

    friend bool operator==(const StepLeft&, const StepLeft&) = default;
};

struct SearchAnswer {
    std::optional<SearchStep> step = std::nullopt;  ///< The first that found something.
    std::vector<StepLeft> left = {};
    /// In the order of the steps, best first; tools that are not available come last.
    std::vector<FoundTool> tools = {};
};

/// Never fails. Reads no clock: the caller's `is_late` does.
[[nodiscard]] SearchAnswer find_tools(const SearchRequest& request,
                                      const FallbackOptions& options = {});

}  // namespace holdfast::search
