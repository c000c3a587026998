#pragma once

#include <chrono>
#include <string>

#include "sim/simulated_loop.hpp"
#include "sim/trace.hpp"

namespace holdfast::sim {

/// The limits of the gateway in every world, and derived limits.
struct WorldLimits {
    Duration call_timeout = std::chrono::seconds{10};
    Duration ask_timeout = std::chrono::seconds{20};
    Duration settle_for = std::chrono::milliseconds{1'500};
    /// Agents that answer a question do so within this time.
    Duration agent_patience = std::chrono::seconds{4};
    /// Consecutive questions in one call.
    std::size_t max_rounds = 3;

    /// The limits as the policy of all servers.
    [[nodiscard]] std::string policy() const {
        return R"({"timeout": ")" + std::to_string(call_timeout / std::chrono::milliseconds{1}) +
               R"(ms", "attemptTimeout": "4s"})";
    }
    /// The longest time of any request; the clock of a call stops while its agent is asked.
    [[nodiscard]] Duration answer_limit() const {
        return call_timeout + ask_timeout + settle_for +
               agent_patience * static_cast<int>(max_rounds) + std::chrono::milliseconds{100};
    }
};

/// What all inhabitants of a world share.
struct Surroundings {
    SimulatedLoop& loop;
    Trace& trace;
    Complaints& complaints;
    const WorldLimits& limits;
    bool is_gateway_stopping = false;  ///< It may end the connections of agents.
};

}  // namespace holdfast::sim
