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

/// How well what was listed for queries fitted what was then called.
struct RouterTotals {
    std::uint64_t predictions = 0;  ///< Lists that were made for a query.
    /// Means over those after which something was called; nothing = none yet. Precision is the
    /// share of the list that was called, recall the share of what was called that was on it.
    std::optional<double> avg_precision = std::nullopt;
    std::optional<double> avg_recall = std::nullopt;
    std::uint64_t fallbacks = 0;  ///< Steps of the ladder that were left.
};

/// Where a tool that was called stood in the list.
struct CalledPlace {
    std::string query = {};  ///< That the list was made for.
    std::size_t place = 0;   ///< From 1; 0 = it was not on it.
    std::size_t listed = 0;
};

/// What was listed last for each agent, and what it called of that.
///
/// Thread-safety: from any thread.
class RouteHistory final {
public:
    explicit RouteHistory(std::size_t max_agents) : max_agents_(max_agents) {}

    /// True if it is another list than the one before.
    bool on_listed(const std::string& agent, std::string query, std::vector<std::string> tools,
                   std::size_t fallbacks);
    /// Nothing was listed for anybody, so no call need be told of.
    [[nodiscard]] bool is_empty() const noexcept {
        return is_empty_.load(std::memory_order_relaxed);
    }
    /// Nothing if nothing was listed for this agent, or the tool was called before.
    std::optional<CalledPlace> on_called(const std::string& agent, const std::string& tool);

    /// The agent has got the list that was made for it last.
    void on_shown(const std::string& agent);
    /// Whether the tool was on the list that the agent has got last.
    [[nodiscard]] bool was_shown(const std::string& agent, const std::string& tool) const;

    /// Nothing before its first query.
    [[nodiscard]] std::optional<std::vector<std::string>> listed_for(
        const std::string& agent) const;
    [[nodiscard]] RouterTotals totals() const;
    [[nodiscard]] RouterTotals totals_of(const std::string& agent) const;
    [[nodiscard]] std::size_t agent_count() const;

private:
    /// Sums for the means.
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
        std::vector<std::string> shown = {};  ///< What was listed when it asked for its list last.
        std::set<std::string> called = {};
        double precision = 0;
        double recall = 0;
        Sums sums = {};
        std::list<std::string>::iterator used = {};
    };
    struct State {
        std::unordered_map<std::string, Route> routes = {};
        std::list<std::string> order = {};  ///< The one that was used last comes first.
        Sums sums = {};
    };

    static Route& route_of(State& state, const std::string& agent, std::size_t max_agents);

    const std::size_t max_agents_;
    std::atomic<bool> is_empty_ = true;
    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::surface
