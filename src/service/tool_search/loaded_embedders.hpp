#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/time.hpp"
#include "search/embedder.hpp"

namespace holdfast::tool_search {

/// The embedders of semantic search after loading.
struct LoadedEmbedders {
    /// One for the index and one for queries, so that a query does not wait for a batch; they may
    /// be the same. May be null.
    std::shared_ptr<const search::Embedder> for_index = {};
    std::shared_ptr<const search::Embedder> for_queries = {};
    std::string problem = {};  ///< Why there is no embedder; empty = disabled.
    /// The same without the names of local files, for agents; empty = as `problem`.
    std::string brief_problem = {};
    /// When to try again, because the model may be installed meanwhile; nothing = never.
    std::optional<resilience::Duration> reopen_after = std::nullopt;
    bool is_on_this_core = true;  ///< Its time grows with the length of a query.

    [[nodiscard]] std::string_view problem_for_agents() const noexcept {
        return brief_problem.empty() ? problem : brief_problem;
    }
};

}  // namespace holdfast::tool_search
