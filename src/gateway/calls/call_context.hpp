#pragma once

#include <memory>
#include <string>
#include <vector>

#include "surface/surface.hpp"

namespace holdfast::calls {

/// What calls need from the config and from the lists of the servers: one snapshot that never
/// changes. Each event loop has its own copy, which a post replaces, so that a call reads it
/// without a lock.
struct CallContext {
    std::shared_ptr<const surface::Surface> surface = {};
    /// Which headers of agents' requests are sent on to downstreams, in lower case. Never null.
    std::shared_ptr<const std::vector<std::string>> agent_headers =
        std::make_shared<const std::vector<std::string>>();
};

}  // namespace holdfast::calls
