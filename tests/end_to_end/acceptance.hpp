#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "end_to_end/troubled_server.hpp"

// Common parts of the acceptance tests of presets: the real binary, the preset as shipped, a
// downstream that misbehaves, and an agent that watches.

namespace holdfast::test {

/// The transports to the agent on which the presets must behave the same.
inline constexpr std::array<AgentLeg, 2> kAcceptanceLegs{{kAgentLegs[0], kAgentLegs[1]}};

/// Returns the name of a case.
[[nodiscard]] std::string leg_name(const testing::TestParamInfo<AgentLeg>& info);

/// Returns the result of a tool that fails with this text, as the troubled server writes it.
[[nodiscard]] std::string error_result(const std::string& words);

/// Returns the first text of an answer, with its line breaks.
[[nodiscard]] std::string text_in(const std::string& answer);
[[nodiscard]] bool has(std::string_view text, std::string_view words);

/// An agent and its gateway.
///
/// Thread-safety: none.
class Acceptance {
public:
    /// Gateway time runs `rate` times faster. Returns when the agent sees the tool.
    void start(const AgentLeg& leg, int rate, const std::string& awaited_tool);

    [[nodiscard]] Scene& scene() { return scene_; }
    [[nodiscard]] TestAgent& agent() { return *agent_; }
    [[nodiscard]] int rate() const noexcept { return rate_; }

    /// Returns the whole answer.
    [[nodiscard]] std::string answer(const std::string& tool, const std::string& arguments = "{}") {
        listen();
        return agent_->request(tool_call(tool, arguments));
    }
    /// Returns the result in the answer, byte for byte, without the call's id.
    [[nodiscard]] std::string result(const std::string& tool);
    /// Returns the code of the call's failure; empty if it has none.
    [[nodiscard]] std::string code(const std::string& tool);
    /// Reads the gateway's log, so that the gateway does not block.
    void listen() { scene_.gateway().program().listen(); }
    /// Waits for a line of the gateway's log and returns the rest of it.
    [[nodiscard]] std::string logged(const std::string& words) {
        return scene_.gateway().program().rest_of_error_line(words);
    }
    /// Converts a duration of the gateway to real time.
    [[nodiscard]] std::chrono::nanoseconds real(std::chrono::nanoseconds gateways) const {
        return gateways / rate_;
    }

private:
    Scene scene_;
    std::optional<TestAgent> agent_;
    int rate_ = 1;
};

}  // namespace holdfast::test
