#pragma once

#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"

namespace holdfast::schema {

/// Why a pattern cannot be run.
struct PatternRefusal {
    std::string reason;
};

/// Writes a pattern of ECMA-262 (in its Unicode mode) in the syntax of RE2, with the same meaning.
/// Refuses what linear time cannot match, such as look-ahead and back-references, and what RE2 has
/// no words for. A text that comes back may still be refused by RE2, for its size or its syntax.
[[nodiscard]] resilience::Result<std::string, PatternRefusal> to_re2_syntax(
    std::string_view pattern);

}  // namespace holdfast::schema
