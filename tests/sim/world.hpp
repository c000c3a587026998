#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/gateway.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "sim/dice.hpp"
#include "sim/inhabitant.hpp"
#include "sim/simulated_agent.hpp"
#include "sim/simulated_downstream.hpp"

namespace holdfast::sim {

/// The result of a world.
struct WorldReport {
    std::vector<std::string> complaints = {};
    std::uint64_t trace_hash = 0;
    std::size_t requests = 0;
};

/// A real gateway between simulated agents and downstreams, in virtual time. The seed determines
/// everything.
///
/// Thread-safety: none.
class World final {
public:
    explicit World(std::uint64_t seed);
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    /// Runs the world from the first connection to the end of the gateway. Call once.
    [[nodiscard]] WorldReport run();

private:
    void populate();
    [[nodiscard]] surface::Server made_server(const std::string& name);
    [[nodiscard]] DownstreamTraits downstream_traits(const std::string& name);
    [[nodiscard]] AgentTraits agent_traits(const std::string& name);

    void wind_down();
    void check_at_rest();
    void stop_gateway();
    void check_nothing_left();

    SimulatedLoop loop_;
    Trace trace_{loop_};
    Complaints complaints_{trace_};
    const WorldLimits limits_;
    Surroundings surroundings_{loop_, trace_, complaints_, limits_};
    Dice dice_;
    /// The gateway is stopped during traffic; requests from then on need not be answered.
    const bool is_stopped_early_;
    std::vector<std::shared_ptr<SimulatedDownstream>> downstreams_;
    std::vector<std::shared_ptr<SimulatedAgent>> agents_;
    std::shared_ptr<dispatch::Gateway> gateway_;
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher_;
};

}  // namespace holdfast::sim
