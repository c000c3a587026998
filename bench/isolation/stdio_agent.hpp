#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "proxy/child.hpp"
#include "proxy/http_agent.hpp"

namespace holdfast::bench {

/// An agent that starts its own gateway and talks to it over standard streams.
///
/// Thread-safety: none.
class StdioAgent final {
public:
    StdioAgent(const std::vector<std::string>& command, const Cores& cores, Target target);
    StdioAgent(const StdioAgent&) = delete;
    StdioAgent& operator=(const StdioAgent&) = delete;
    /// Closes the streams; the gateway then exits.
    ~StdioAgent();

    /// Calls until an answer contains the expected text.
    void call_until_right();
    /// Makes one call, whose answer must be right, and returns its duration.
    [[nodiscard]] std::chrono::nanoseconds call();

private:
    /// Returns the line with the answer.
    [[nodiscard]] std::string answer_to_next();

    Target target_;
    std::uint64_t id_ = 0;
    pid_t pid_ = -1;
    int input_ = -1;   // of the gateway
    int output_ = -1;  // of the gateway
    std::string pending_;
};

}  // namespace holdfast::bench
