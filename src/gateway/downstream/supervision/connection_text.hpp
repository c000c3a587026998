#pragma once

#include <string>
#include <vector>

#include "downstream/answer.hpp"
#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// The fault of a call while the downstream waits for its next attempt, with the time of that
/// attempt.
[[nodiscard]] CallFault not_connected_fault(const std::string& server,
                                            const DownstreamStatus& status,
                                            resilience::TimePoint now);

/// The fault of a call while an operator has paused the downstream.
[[nodiscard]] CallFault paused_fault(const std::string& server);

/// The fault of a call that was in flight when an operator restarted the downstream.
[[nodiscard]] CallFault restarted_fault(const std::string& server);

/// The fault of a call that arrives while the agent's own session is being closed.
[[nodiscard]] CallFault session_over_fault();

[[nodiscard]] CallFault stopping_fault(const std::string& server);

}  // namespace holdfast::downstream
