#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/http_agent.hpp"

namespace holdfast::bench {

struct LoadResult {
    std::size_t requests = 0;
    std::chrono::nanoseconds time = {};
    std::chrono::nanoseconds median = {};
    std::chrono::nanoseconds p99 = {};
};

/// Agents that call a tool over keep-alive connections, each as soon as it has the last answer.
/// Every answer is checked: its status, its id, and that it is a result. A wrong one ends the
/// benchmark. Sessions are kept between runs, connections are not.
///
/// Thread-safety: none.
class Fleet final {
public:
    Fleet(std::string name, const Target& target, std::size_t connections);
    /// The connections share the targets out among them.
    Fleet(std::string name, const std::vector<Target>& targets, std::size_t connections);
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;
    ~Fleet() = default;

    /// Until the tool answers: a gateway may still be reading its lists.
    void wait_until_served();
    /// Anew, with the sessions that there are, or new ones.
    void connect();
    /// Requires that it is connected.
    [[nodiscard]] LoadResult run(std::chrono::nanoseconds duration);
    /// Makes this many calls, at least one for each connection. Requires that it is connected.
    void call(std::size_t count);
    /// Lets one agent after the other connect and make one call; they stay connected.
    void call_in_turn();

private:
    /// `goes_on` is asked after each answer, with the number of calls so far.
    [[nodiscard]] std::vector<std::chrono::nanoseconds> call_while(
        const std::function<bool(std::size_t asked)>& goes_on);

    std::string name_;
    std::vector<std::unique_ptr<HttpAgent>> agents_;
};

}  // namespace holdfast::bench
