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

/// A text to be looked for, and its terms.
struct Passage {
    std::string text = {};
    std::vector<QueryTerm> terms = {};  ///< Each once, in the order of their ids.
};

/// What somebody is looking for, taken apart once for all steps of a search.
struct SearchQuery {
    /// The whole text and, when it has several sentences, each of them: a long text asks for
    /// several things, and as a whole is near to none of them. Empty when there is nothing to read.
    std::vector<Passage> passages = {};

    [[nodiscard]] bool empty() const noexcept { return passages.empty(); }
};

/// Reads a query of any length; what is beyond the limits is ignored.
[[nodiscard]] SearchQuery read_query(std::string_view text, const QueryLimits& limits = {});

}  // namespace holdfast::search
