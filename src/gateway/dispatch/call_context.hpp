#pragma once

#include <memory>
#include <string>
#include <vector>

#include "surface/surface.hpp"

namespace holdfast::dispatch {

/// What calls need from the config and from the lists of the servers: an immutable snapshot. Each
/// event loop has its own copy, so that a call reads it without a lock. A loop without requests
/// keeps its copy, so nothing may depend on the destruction of an earlier context: a removed server
/// is stopped.
struct CallContext {
    std::shared_ptr<const surface::Surface> surface = {};
    /// Names of the agents' request headers to forward, in lower case. Never null.
    std::shared_ptr<const std::vector<std::string>> agent_headers =
        std::make_shared<const std::vector<std::string>>();
};

}  // namespace holdfast::dispatch
