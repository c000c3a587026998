#pragma once

#include <string>

#include "downstream/answer.hpp"
#include "downstream/downstream_status.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::downstream {

/// Why a call fails while the downstream waits for its next try, and when that is.
[[nodiscard]] CallFault not_connected_fault(const std::string& server,
                                            const DownstreamStatus& status,
                                            resilience::TimePoint now);

/// Why a call fails while an operator has paused the downstream.
[[nodiscard]] CallFault paused_fault(const std::string& server);

/// Why a call fails that was under way when an operator had the downstream started anew.
[[nodiscard]] CallFault restarted_fault(const std::string& server);

/// Why a call fails that comes to an agent's own session while that is being closed.
[[nodiscard]] CallFault session_over_fault();

[[nodiscard]] CallFault stopping_fault(const std::string& server);

}  // namespace holdfast::downstream
