#pragma once

#include <memory>
#include <string>

#include "search/embedder.hpp"

namespace holdfast::tool_search {

/// What meaning is compared by, once it has been opened.
struct LoadedEmbedders {
    /// One for the index and one for queries, so that a query does not wait behind a batch; they
    /// may be the same. Null = there is none.
    std::shared_ptr<const search::Embedder> for_index = {};
    std::shared_ptr<const search::Embedder> for_queries = {};
    std::string problem = {};     ///< Why there is none; empty = by choice.
    bool is_on_this_core = true;  ///< Its time grows with the length of a query.
};

}  // namespace holdfast::tool_search
