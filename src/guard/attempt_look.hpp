#pragma once

#include <string>

#include "downstream/answer.hpp"
#include "policy/classify.hpp"

namespace holdfast::guard {

/// An attempt's end as the policies look at it. Points into the result.
[[nodiscard]] policy::Ending ending_of(const downstream::CallResult& result,
                                       const policy::Policy& policy);

/// Whether a tool's result says that it is an error.
[[nodiscard]] bool is_error_result(const downstream::Answer& answer);

}  // namespace holdfast::guard
