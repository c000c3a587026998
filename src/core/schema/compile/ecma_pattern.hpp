#pragma once

#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"

namespace holdfast::schema {

/// Why a pattern cannot be used.
struct PatternRefusal {
    std::string reason;
};

/// Translates a pattern of ECMA-262 (Unicode mode) into the syntax of RE2 with the same meaning.
/// Rejects what linear time cannot match, such as look-ahead and back-references, and what RE2
/// cannot express. RE2 may still reject the result for its size or syntax.
[[nodiscard]] resilience::Result<std::string, PatternRefusal> to_re2_syntax(
    std::string_view pattern);

}  // namespace holdfast::schema
