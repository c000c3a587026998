#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "search/term_reader.hpp"
#include "search/tool_index.hpp"

namespace holdfast::search {

struct QueryLimits {
    TextLimits text = {.max_bytes = std::size_t{16} * 1024, .max_terms = 256};
    std::size_t max_sentences = 8;
};

/// A text to search for, and its terms.
struct Passage {
    std::string text = {};
    std::vector<QueryTerm> terms = {};  ///< Each once, in the order of their ids.
};

/// A query, parsed once for all steps of a search.
struct SearchQuery {
    /// The whole text and, if it has several sentences, each of them: a long text asks for several
    /// things, and as a whole it is similar to none of them. Empty if there is no text.
    std::vector<Passage> passages = {};

    [[nodiscard]] bool empty() const noexcept { return passages.empty(); }
};

/// Parses a query of any length; ignores text beyond the limits.
[[nodiscard]] SearchQuery read_query(std::string_view text, const QueryLimits& limits = {});

}  // namespace holdfast::search
