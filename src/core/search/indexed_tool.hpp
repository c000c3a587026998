#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "search/term_reader.hpp"
#include "search/tool_document.hpp"

namespace holdfast::search {

/// A term in the index: the hash of its text. Terms with the same hash count as one, which at worst
/// gives a wrong match.
using TermId = std::uint64_t;

[[nodiscard]] TermId term_id(std::string_view term) noexcept;

/// The weight of an occurrence by field (the F of BM25F).
struct FieldWeights {
    float name = 3.0F;
    float description = 2.0F;
    float parameters = 0.5F;
    float server = 1.0F;
};

struct TermWeight {
    TermId term = 0;
    float weight = 0.0F;  ///< Occurrences, each multiplied by the weight of its field.
    bool is_in_name = false;
};

struct DocumentOptions {
    FieldWeights weights = {};
    TextLimits text_limits = {};  ///< Of each field.
    std::size_t max_parameters = 200;
    std::size_t max_parameter_terms = 1'000;  ///< Of all parameters of a tool.
};

/// A tool with its terms. Made once for each definition and shared by all snapshots that contain
/// it.
///
/// Thread-safety: immutable; share it.
struct IndexedTool {
    ToolDocument document = {};
    std::vector<TermWeight> terms = {};  ///< Each term once, in the order of their ids.
    float length = 0.0F;                 ///< The sum of the weights.
    std::size_t name_terms = 0;          ///< The number of terms in the name.
};

[[nodiscard]] std::shared_ptr<const IndexedTool> make_indexed_tool(ToolDocument document,
                                                                   TermReader& reader,
                                                                   const DocumentOptions& options);

}  // namespace holdfast::search
