#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::surface {

/// How well the lists for queries matched the tools that were then called.
struct RouterTotals {
    std::uint64_t predictions = 0;  ///< Lists made for queries.
    /// Means over the lists that were followed by a call; unset = none yet. Precision is the share
    /// of listed tools that were called, recall the share of called tools that were listed.
    std::optional<double> avg_precision = std::nullopt;
    std::optional<double> avg_recall = std::nullopt;
    std::uint64_t fallbacks = 0;  ///< Steps of the fallback chain that were skipped.
};

/// The position of a called tool in the list.
struct CalledPlace {
    std::string query = {};  ///< The query of the list.
    std::size_t place = 0;   ///< Starts at 1; 0 = not in the list.
    std::size_t listed = 0;
};

/// The last list of each agent, and the tools that the agent called from it.
///
/// Thread-safety: from any thread.
class RouteHistory final {
public:
    explicit RouteHistory(std::size_t max_agents) : max_agents_(max_agents) {}

    /// Returns true if the list differs from the previous one.
    bool on_listed(const std::string& agent, std::string query, std::vector<std::string> tools,
                   std::size_t fallbacks);
    /// Whether no list was made yet, so that calls need not be reported.
    [[nodiscard]] bool is_empty() const noexcept {
        return is_empty_.load(std::memory_order_relaxed);
    }
    /// Returns nothing if this agent has no list, or if the tool was called before.
    std::optional<CalledPlace> on_called(const std::string& agent, const std::string& tool);

    /// The agent has received the last list that was made for it.
    void on_shown(const std::string& agent);
    /// Whether the tool was on the last list that the agent received.
    [[nodiscard]] bool was_shown(const std::string& agent, const std::string& tool) const;

    /// Returns nothing before the agent's first query.
    [[nodiscard]] std::optional<std::vector<std::string>> listed_for(
        const std::string& agent) const;
    [[nodiscard]] RouterTotals totals() const;

private:
    /// Sums for the mean values.
    struct Sums {
        std::uint64_t predictions = 0;
        std::uint64_t judged = 0;
        double precision = 0;
        double recall = 0;
        std::uint64_t fallbacks = 0;

        [[nodiscard]] RouterTotals totals() const;
    };
    struct Route {
        std::string query = {};
        std::vector<std::string> listed = {};
        std::vector<std::string> shown = {};  ///< The list that the agent received last.
        std::set<std::string> called = {};
        double precision = 0;
        double recall = 0;
        std::list<std::string>::iterator used = {};
    };
    struct State {
        std::unordered_map<std::string, Route> routes = {};
        std::list<std::string> order = {};  ///< Most recently used first.
        Sums sums = {};
    };

    static Route& route_of(State& state, const std::string& agent, std::size_t max_agents);

    const std::size_t max_agents_;
    std::atomic<bool> is_empty_ = true;
    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::surface
