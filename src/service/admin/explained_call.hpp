#pragma once

#include <string>

#include "dispatch/gateway.hpp"
#include "record/records.hpp"

namespace holdfast::admin {

/// The record of a call with what its policy says and where each value comes from, as JSON. The
/// values are those that count now: a config that was read anew since may have changed them.
[[nodiscard]] std::string explained_json(const dispatch::Gateway& gateway,
                                         const record::CallRecord& call);

}  // namespace holdfast::admin
