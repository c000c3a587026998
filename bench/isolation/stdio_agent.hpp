#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "proxy/child.hpp"
#include "proxy/http_agent.hpp"

namespace holdfast::bench {

/// An agent that has started a gateway for itself and speaks with it over its standard streams.
///
/// Thread-safety: none.
class StdioAgent final {
public:
    StdioAgent(const std::vector<std::string>& command, const Cores& cores, Target target);
    StdioAgent(const StdioAgent&) = delete;
    StdioAgent& operator=(const StdioAgent&) = delete;
    /// Closes the streams, upon which a gateway ends.
    ~StdioAgent();

    /// Calls until an answer holds what is expected.
    void call_until_right();
    /// One call, whose answer must be right; how long it took.
    [[nodiscard]] std::chrono::nanoseconds call();

private:
    /// The line that answers.
    [[nodiscard]] std::string answer_to_next();

    Target target_;
    std::uint64_t id_ = 0;
    pid_t pid_ = -1;
    int input_ = -1;   // of the gateway
    int output_ = -1;  // of the gateway
    std::string pending_;
};

}  // namespace holdfast::bench
