#pragma once

#include <string>

#include "calls/failure_mapping.hpp"

namespace holdfast::calls {

/// What the text of a failure says besides the failure itself.
struct FailureContext {
    std::string arguments = {};   ///< JSON, fit to be shown.
    std::string detail = {};      ///< What the server said, or what happened.
    std::string last_error = {};  ///< Why the last attempt failed, in a few words.
    int http_status = 0;
    std::uint32_t attempts = 0;
    std::vector<std::string> alternatives = {};  ///< Exposed names of tools that could stand in.
};

/// The text that an agent reads: the policy's own words if it has some, else ours, as long as its
/// `detail` asks for.
[[nodiscard]] std::string words_for(const FailedCall& call, const Failure& failure,
                                    const FailureContext& facts);

}  // namespace holdfast::calls
