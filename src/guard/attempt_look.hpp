#pragma once

#include <string>

#include "downstream/answer.hpp"
#include "policy/classify.hpp"

namespace holdfast::guard {

/// An attempt's end as the policies look at it. Points into the result.
[[nodiscard]] policy::Ending ending_of(const downstream::CallResult& result,
                                       const policy::Policy& policy);

}  // namespace holdfast::guard
