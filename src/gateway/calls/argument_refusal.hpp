#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agents/incoming_request.hpp"
#include "calls/call_plan.hpp"
#include "calls/failure.hpp"

namespace holdfast::calls {

/// The failure of a call whose arguments (JSON) the tool's schema refuses; nothing when they fit or
/// cannot be checked. What was sent is in it without the secrets.
[[nodiscard]] std::optional<Failure> argument_failure(const surface::Callable& tool,
                                                      std::string_view arguments,
                                                      std::span<const std::string> secrets);

/// Answers a call whose arguments do not fit. True if it did: then the call is over.
[[nodiscard]] bool refuse_arguments(const agents::IncomingRequest& request, const CallPlan& plan,
                                    const CallEnvironment& calls);

/// Answers a call that has failed so often in the same way that it is held back.
[[nodiscard]] bool refuse_repetition(const agents::IncomingRequest& request, const CallPlan& plan,
                                     const CallEnvironment& calls);

}  // namespace holdfast::calls
