#pragma once

#include <memory>
#include <string>

#include "net/http_exchange.hpp"
#include "net/unwritten_tally.hpp"

namespace holdfast::agents {

/// The path for messages that belong to no request: an agent's channel, or the stream that the
/// agent opened for them.
///
/// Thread-safety: from any loop.
class Outlet {
public:
    Outlet() = default;
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;
    virtual ~Outlet() = default;

    virtual void send(std::string message, net::Importance importance) = 0;
    /// Closes the outlet from the gateway's side. What was sent is still written.
    virtual void end() = 0;
    /// Reports whether the agent must still get something before the process may end. An outlet of
    /// HTTP does not: its server reports its connections.
    virtual void report_unwritten(const std::shared_ptr<net::UnwrittenTally>& /*tally*/) {}
};

}  // namespace holdfast::agents
