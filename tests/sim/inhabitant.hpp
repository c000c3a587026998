#pragma once

#include <chrono>
#include <string>

#include "sim/simulated_loop.hpp"
#include "sim/trace.hpp"

namespace holdfast::sim {

/// The limits that the gateway of every world is given, and what follows from them.
struct WorldLimits {
    Duration call_timeout = std::chrono::seconds{10};
    Duration ask_timeout = std::chrono::seconds{20};
    Duration settle_for = std::chrono::milliseconds{1'500};
    /// Agents that answer a question do so within this time.
    Duration agent_patience = std::chrono::seconds{4};
    /// Questions, one after the other, in one call.
    std::size_t max_rounds = 3;

    /// The same for the policy of all servers.
    [[nodiscard]] std::string policy() const {
        return R"({"timeout": ")" + std::to_string(call_timeout / std::chrono::milliseconds{1}) +
               R"(ms", "attemptTimeout": "4s"})";
    }
    /// How long any request may take: while its agent is asked the clock of the call stands still.
    [[nodiscard]] Duration answer_limit() const {
        return call_timeout + ask_timeout + settle_for +
               agent_patience * static_cast<int>(max_rounds) + std::chrono::milliseconds{100};
    }
};

/// What everybody in a world shares.
struct Surroundings {
    SimulatedLoop& loop;
    Trace& trace;
    Complaints& complaints;
    const WorldLimits& limits;
};

}  // namespace holdfast::sim
