#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "process/process_limits.hpp"

namespace holdfast::runtime {

/// The limits of the operating system on the gateway.
struct SystemLimits {
    process::ProcessLimit descriptors = {};
    process::ProcessLimit processes = {};
};

/// How the descriptors of the gateway are divided between agents and servers.
struct ResourcePlan {
    /// The largest descriptor of an agent's connection. Those above it are for servers: their
    /// connections and programs must not fail because there are many agents.
    int max_descriptor = 0;
    /// A sentence for each limit that is too low for the config.
    std::vector<std::string> warnings = {};
};

[[nodiscard]] ResourcePlan resource_plan(const config::Config& config, std::size_t loop_count,
                                         const SystemLimits& limits);

}  // namespace holdfast::runtime
