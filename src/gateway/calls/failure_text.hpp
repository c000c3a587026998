#pragma once

#include <string>

#include "calls/failure_mapping.hpp"

namespace holdfast::calls {

/// What the text of a failure may mention in addition to the failure.
struct FailureContext {
    std::string arguments = {};   ///< JSON without secrets.
    std::string detail = {};      ///< What the server said, or what happened.
    std::string last_error = {};  ///< Why the last attempt failed, in a few words.
    int http_status = 0;
    std::uint32_t attempts = 0;
    std::vector<std::string> alternatives = {};  ///< Exposed names of tools to use instead.
};

/// The text for the agent: the policy's text if it has one, else the default one, in the detail
/// that the policy asks for.
[[nodiscard]] std::string words_for(const FailedCall& call, const Failure& failure,
                                    const FailureContext& facts);

}  // namespace holdfast::calls
