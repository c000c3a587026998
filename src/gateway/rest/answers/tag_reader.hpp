#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "rest/answer_template.hpp"
#include "rest/answers/template_program.hpp"

namespace holdfast::rest {

/// One `{{…}}` tag of a template.
struct Tag {
    enum class Kind : std::uint8_t { value, section, otherwise, close, comment };

    Kind kind = Kind::value;
    Expression expression = {};  ///< Of a value or section; `field` is not set.
    bool is_optional = false;    ///< The path ends in `?`.
    std::string name = {};       ///< Of a section or its end: the path as written.
    std::size_t end = 0;         ///< Offset after the closing braces.
};

/// Reads the tag whose braces begin at `open`.
[[nodiscard]] resilience::Result<Tag, TemplateProblem> read_tag(std::string_view text,
                                                                std::size_t open);

}  // namespace holdfast::rest
