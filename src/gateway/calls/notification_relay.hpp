#pragma once

#include <string_view>

#include "calls/call_plan.hpp"
#include "downstream/call_listener.hpp"

namespace holdfast::calls {

/// Sends a progress notification of the server to the agent under the agent's own token. Drops it
/// if the agent did not ask for progress, or if the progress does not increase: each round of
/// questions is a new request to the server, which starts counting again.
void relay_progress(agents::AgentRequest& origin, const downstream::Notification& notification);

/// Sends a log message of the server to the agent if its level is high enough. `request_level` is
/// what a modern agent's request asked for; a legacy agent's session has its own.
void relay_log(const agents::AgentRequest& origin, std::string_view request_level,
               const downstream::Notification& notification);

}  // namespace holdfast::calls
