#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "search/term_reader.hpp"
#include "search/tool_index.hpp"

namespace holdfast::search {

struct QueryLimits {
    TextLimits text = {.max_bytes = 16 * 1024, .max_terms = 256};
    std::size_t max_sentences = 8;
};

/// What somebody is looking for, taken apart once for all steps of a search.
struct SearchQuery {
    std::vector<QueryTerm> terms = {};  ///< Each once, in the order of their ids.
    /// What is embedded: the whole text and, when it has several sentences, each of them. A long
    /// text asks for several things, and its mean is near to none of them.
    std::vector<std::string> passages = {};
};

/// Reads a query of any length; what is beyond the limits is ignored.
[[nodiscard]] SearchQuery read_query(std::string_view text, const QueryLimits& limits = {});

}  // namespace holdfast::search
