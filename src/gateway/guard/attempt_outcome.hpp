#pragma once

#include <string>

#include "downstream/answer.hpp"
#include "policy/classify.hpp"

namespace holdfast::guard {

/// Returns the end of an attempt as the policies look at it. It points into the result, and into
/// `text`, which receives the decoded text of an error (64 kB of it). An error result is read only
/// where the policy classifies results.
[[nodiscard]] policy::Ending ending_of(const downstream::CallResult& result,
                                       const policy::Policy& policy, std::string& text);

}  // namespace holdfast::guard
