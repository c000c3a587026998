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

/// Agents that call a tool over keep-alive connections, each immediately after its previous answer.
/// Every answer is checked: its status, its id, and that it is a result. A wrong answer ends the
/// benchmark. Sessions persist between runs; connections do not.
///
/// Thread-safety: none.
class Fleet final {
public:
    Fleet(std::string name, const Target& target, std::size_t connections);
    /// The connections are distributed over the targets.
    Fleet(std::string name, const std::vector<Target>& targets, std::size_t connections);
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;
    ~Fleet() = default;

    /// Waits until the tool answers, because a gateway may still be reading its lists.
    void wait_until_served();
    /// Reconnects, with existing or new sessions.
    void connect();
    /// Requires a connected fleet.
    [[nodiscard]] LoadResult run(std::chrono::nanoseconds duration);
    /// Makes this many calls, at least one per connection. Requires a connected fleet.
    void call(std::size_t count);
    /// Lets the agents connect and make one call in turn; they stay connected.
    void call_in_turn();

private:
    /// Calls `goes_on` after each answer with the number of calls so far.
    [[nodiscard]] std::vector<std::chrono::nanoseconds> call_while(
        const std::function<bool(std::size_t asked)>& goes_on);

    std::string name_;
    std::vector<std::unique_ptr<HttpAgent>> agents_;
};

}  // namespace holdfast::bench
