#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::schema {

/// What one schema may be. Schemas come from strangers, so each limit is finite; a schema beyond
/// one of them does not compile.
struct CompileLimits {
    std::size_t max_depth = 128;            ///< Nesting of the JSON of one document.
    std::size_t max_bytes = 1024UL * 1024;  ///< Strings, names and 16 bytes for each value.
    std::size_t max_subschemas = 10'000;    ///< Over all documents that are referred to.
    std::size_t max_patterns = 256;         ///< Different patterns; each has its own automaton.
    std::size_t max_pattern_bytes = 8UL * 1024;       ///< Longer patterns are skipped.
    std::size_t pattern_memory_bytes = 512UL * 1024;  ///< What one pattern may use to match.
};

/// What one validation may cost and how much it may say.
struct ValidateLimits {
    std::uint64_t max_steps = 1'000'000;  ///< One step is roughly one keyword on one value.
    std::size_t max_depth = 512;          ///< Nested evaluations: references and instance levels.
    std::size_t max_violations = 20;
    std::size_t max_text_bytes = 200;  ///< Of each text of a violation.
    bool show_values = true;           ///< Whether `got` quotes what was sent, or only its kind.
    /// Says of which members only the kind is shown, with all that is in them. Null = of none.
    bool (*hides_member)(std::string_view name) = nullptr;
};

}  // namespace holdfast::schema
