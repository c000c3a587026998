#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"

namespace holdfast::test {

using LegPair = std::tuple<AgentLeg, ServerLeg>;

inline auto all_leg_pairs() {
    return testing::Combine(testing::ValuesIn(kAgentLegs), testing::ValuesIn(kServerLegs));
}

inline std::string name_of_pair(const testing::TestParamInfo<LegPair>& info) {
    return std::string{std::get<0>(info.param).name} + "To" +
           std::string{std::get<1>(info.param).name};
}

/// An agent that is ready to call the tools of a fixture server through the gateway.
class LegPairTest : public testing::TestWithParam<LegPair> {
protected:
    void SetUp() override {
        const auto& [agent_leg, server_leg] = GetParam();
        scene_.add_fixture("fixture", server_leg);
        const bool on_stdio = agent_leg.transport == AgentTransport::stdio;
        ASSERT_TRUE(scene_.start(on_stdio ? std::vector<std::string>{"--stdio"}
                                          : std::vector<std::string>{}));
        agent_ = std::make_unique<TestAgent>(scene_.agent(agent_leg));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("echo"));
    }

    [[nodiscard]] TestAgent& agent() const { return *agent_; }
    [[nodiscard]] static bool has_modern_agent() {
        return std::get<0>(GetParam()).era == AgentEra::modern;
    }
    [[nodiscard]] static bool has_modern_server() {
        return std::get<1>(GetParam()).era == ServerEra::modern;
    }

private:
    Scene scene_;
    std::unique_ptr<TestAgent> agent_;
};

}  // namespace holdfast::test
