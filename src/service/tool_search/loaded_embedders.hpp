#pragma once

#include <memory>
#include <string>

#include "search/embedder.hpp"

namespace holdfast::tool_search {

/// The embedders of semantic search after loading.
struct LoadedEmbedders {
    /// One for the index and one for queries, so that a query does not wait for a batch; they may
    /// be the same. May be null.
    std::shared_ptr<const search::Embedder> for_index = {};
    std::shared_ptr<const search::Embedder> for_queries = {};
    std::string problem = {};     ///< Why there is no embedder; empty = disabled.
    bool is_on_this_core = true;  ///< Its time grows with the length of a query.
};

}  // namespace holdfast::tool_search
