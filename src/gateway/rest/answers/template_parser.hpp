#pragma once

#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "rest/answer_template.hpp"
#include "rest/answers/template_program.hpp"

namespace holdfast::rest {

/// Fails at the first problem; the fault has its offset in `text`.
[[nodiscard]] resilience::Result<Program, TemplateProblem> parsed_program(std::string_view text);

}  // namespace holdfast::rest
