#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "end_to_end/scene.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

/// The preset `gitnexus` in front of a bridge that the gateway dials. The bridge can be paused,
/// resumed and killed; another listener can use its port afterwards.
class GitNexusDialledTest : public ::testing::Test {
protected:
    void start_bridge() {
        bridge_ = std::make_unique<Program>(std::vector<std::string>{
            Scene::fixture_path(), "--ws", "127.0.0.1:0", "--lifetime-seconds", "100"});
        url_ = bridge_->rest_of_error_line("fixture: listening on ");
        ASSERT_NE(url_, "");
        port_ = static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1)));
    }
    /// Adds `members` to the entry: `"reconnect":{…}`.
    void add_server(const std::string& name, const std::string& members = {}) {
        scene.add_server(name, R"({"type":"ws","url":")" + url_ + R"(","preset":"gitnexus")" +
                                   (members.empty() ? "" : "," + members) + "}");
    }
    /// Starts the gateway, and an agent that need not see any tool.
    void start_gateway(int clock_rate) {
        ASSERT_TRUE(scene.start({"--clock-rate", std::to_string(clock_rate)}));
        agent_ = std::make_unique<TestAgent>(scene.agent(kAgentLegs[1]));
        ASSERT_TRUE(agent_->open());
    }
    /// Starts the gateway and stops it once it has seen the tools, so that the next one knows them
    /// before it is connected.
    void make_tools_known(const std::string& awaited_tool = "echo") {
        start_gateway(1);
        ASSERT_TRUE(agent_->finds_tool(awaited_tool));
        ASSERT_EQ(scene.gateway().stop(), 0);
    }
    /// Its port refuses connections afterwards.
    void kill_bridge() {
        bridge_->send(SIGKILL);
        ASSERT_EQ(bridge_->wait(), -SIGKILL);
    }
    /// The system still accepts connections to a paused bridge.
    void pause_bridge() { bridge_->send(SIGSTOP); }
    void continue_bridge() { bridge_->send(SIGCONT); }

    [[nodiscard]] TestAgent& agent() { return *agent_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string call(const std::string& tool = "echo") {
        return agent_->request(tool_call(tool, R"({"text":"x"})"));
    }
    [[nodiscard]] static std::string code_in(const std::string& answer) {
        return plain_text(member_text(answer, "code"));
    }

    Scene scene;

private:
    std::unique_ptr<Program> bridge_;
    std::unique_ptr<TestAgent> agent_;
    std::string url_;
    std::uint16_t port_ = 0;
};

}  // namespace holdfast::test
