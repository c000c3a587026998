#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::schema {

/// Limits of one schema. Schemas come from untrusted servers, so each limit is finite. A schema
/// that exceeds one does not compile.
struct CompileLimits {
    std::size_t max_depth = 128;                 ///< Nesting of the JSON of one document.
    std::size_t max_bytes = 1024UL * 1024;       ///< Strings, names and 16 bytes for each value.
    std::size_t max_subschemas = 10'000;         ///< Over all documents that are referenced.
    std::size_t max_patterns = 256;              ///< Distinct patterns; each has its own automaton.
    std::size_t max_pattern_bytes = 8UL * 1024;  ///< Longer patterns are skipped.
    /// The memory that one pattern may use to match.
    std::size_t pattern_memory_bytes = 512UL * 1024;
};

/// Limits of one validation and of its report.
struct ValidateLimits {
    std::uint64_t max_steps = 1'000'000;  ///< One step is roughly one keyword on one value.
    std::size_t max_depth = 512;          ///< Nested evaluations: references and instance levels.
    std::size_t max_violations = 20;
    std::size_t max_text_bytes = 200;  ///< Of each text of a violation.
    bool show_values = true;           ///< Whether `got` quotes the sent value or only its kind.
    /// Selects members of which only the kind is shown, including everything in them. Null = none.
    bool (*hides_member)(std::string_view name) = nullptr;
};

}  // namespace holdfast::schema
