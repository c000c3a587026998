#pragma once

#include <string>

#include "net/http_exchange.hpp"

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
    /// Closes the outlet from the gateway's side.
    virtual void end() = 0;
};

}  // namespace holdfast::agents
