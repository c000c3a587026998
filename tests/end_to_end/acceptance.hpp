#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "end_to_end/troubled_server.hpp"

// What the acceptance tests of presets have in common: the real binary, the preset as it is
// shipped, a downstream that misbehaves, and an agent that watches.

namespace holdfast::test {

/// The transports to the agent on which the presets must behave alike.
inline constexpr std::array<AgentLeg, 2> kAcceptanceLegs{{kAgentLegs[0], kAgentLegs[1]}};

void PrintTo(const AgentLeg& leg, std::ostream* out);
/// For the name of a case.
[[nodiscard]] std::string leg_name(const testing::TestParamInfo<AgentLeg>& info);

/// The result of a tool that fails with these words, as the troubled server writes it.
[[nodiscard]] std::string error_result(const std::string& words);

/// The first text of an answer, with its line breaks.
[[nodiscard]] std::string text_in(const std::string& answer);
[[nodiscard]] bool has(std::string_view text, std::string_view words);

/// An agent at a gateway.
///
/// Thread-safety: none.
class Acceptance {
public:
    /// The gateway's time runs `rate` times as fast. Returns when the agent sees the tool.
    void start(const AgentLeg& leg, int rate, const std::string& awaited_tool);

    [[nodiscard]] Scene& scene() { return scene_; }
    [[nodiscard]] TestAgent& agent() { return *agent_; }
    [[nodiscard]] int rate() const noexcept { return rate_; }

    /// The whole answer.
    [[nodiscard]] std::string answer(const std::string& tool, const std::string& arguments = "{}") {
        listen();
        return agent_->request(tool_call(tool, arguments));
    }
    /// The result in the answer, byte for byte, without the call's id.
    [[nodiscard]] std::string result(const std::string& tool);
    /// The code of the failure that the call ends in; empty if it has none.
    [[nodiscard]] std::string code(const std::string& tool);
    /// Takes in what the gateway has said, so that it is not stuck.
    void listen() { scene_.gateway().program().listen(); }
    /// Waits for a line of the gateway's log; the rest of it.
    [[nodiscard]] std::string logged(const std::string& words) {
        return scene_.gateway().program().rest_of_error_line(words);
    }
    /// Real time for a span of the gateway's.
    [[nodiscard]] std::chrono::nanoseconds real(std::chrono::nanoseconds gateways) const {
        return gateways / rate_;
    }

private:
    Scene scene_;
    std::optional<TestAgent> agent_;
    int rate_ = 1;
};

}  // namespace holdfast::test
