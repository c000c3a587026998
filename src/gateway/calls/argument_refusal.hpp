#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agents/incoming_request.hpp"
#include "calls/call_environment.hpp"
#include "calls/call_plan.hpp"
#include "calls/failure.hpp"

namespace holdfast::calls {

/// The failure of a call whose arguments (JSON) violate the tool's schema or rule; nothing if they
/// are valid or cannot be checked. It quotes the arguments without the secrets.
[[nodiscard]] std::optional<Failure> argument_failure(const surface::Callable& tool,
                                                      std::string_view arguments,
                                                      std::span<const std::string> secrets);

/// Answers a call whose arguments are invalid. Returns true if it did: the call has ended.
[[nodiscard]] bool refuse_arguments(const agents::IncomingRequest& request, const CallPlan& plan,
                                    const CallEnvironment& calls);

/// Answers a call that has failed so often in the same way that it is not sent for a while. Returns
/// true if it did.
[[nodiscard]] bool refuse_repetition(const agents::IncomingRequest& request, const CallPlan& plan,
                                     const CallEnvironment& calls);

}  // namespace holdfast::calls
