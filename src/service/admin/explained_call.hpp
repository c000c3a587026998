#pragma once

#include <string>

#include "dispatch/gateway.hpp"
#include "record/call_record.hpp"

namespace holdfast::admin {

/// Returns the record of a call as JSON, with the values of its policy and their sources. The
/// values are the current ones: a reload since the call may have changed them.
[[nodiscard]] std::string explained_json(const dispatch::Gateway& gateway,
                                         const record::CallRecord& call);

}  // namespace holdfast::admin
