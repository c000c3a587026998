#pragma once

#include <cstdint>
#include <string>

namespace holdfast::tool_search {

/// Why a part of the search does not work as configured. Tools are found by keywords all the same.
struct SearchProblem {
    enum class Kind : std::uint8_t {
        no_embedder,   ///< There is no semantic search; `detail` says why.
        text_refused,  ///< The embedder rejected the text of a tool; `detail` is the tool.
        cache_failed,  ///< Embeddings are computed again at the next start; `detail` says why.
    };

    Kind kind = Kind::no_embedder;
    std::string detail = {};
};

}  // namespace holdfast::tool_search
