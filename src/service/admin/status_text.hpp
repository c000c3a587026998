#pragma once

#include <string>

#include "admin/status.hpp"

// The state of the gateway as a model reads it: the conclusion first, and few bytes. Reasons may
// contain texts of servers: they are shown on one line and cut.

namespace holdfast::admin {

/// Returns how many servers work, which do not and why, and one line for each server, at most
/// 1.5 kB: `18 of 20 servers work. Not working: stripe (no handshake in 30 s, next try in 12 s).`
[[nodiscard]] std::string overview_text(const Status& status);

/// Returns everything about one server that concerns an agent.
[[nodiscard]] std::string server_text(const ServerStatus& server);

}  // namespace holdfast::admin
