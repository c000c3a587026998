#pragma once

#include <boost/json/value.hpp>

#include "rest/answer_template.hpp"
#include "rest/answers/template_program.hpp"

namespace holdfast::rest {

/// Renders an answer with a compiled template. `arguments` may be null.
[[nodiscard]] RenderedText rendered_program(const Program& program,
                                            const boost::json::value& answer,
                                            const boost::json::value* arguments,
                                            const RenderLimits& limits);

}  // namespace holdfast::rest
