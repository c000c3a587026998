#include "surface/route_history.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::surface {
namespace {

/// After this many calls, further tools say nothing about the query.
constexpr std::size_t kMaxCalledTools = 256;

}  // namespace

RouterTotals RouteHistory::Sums::totals() const {
    RouterTotals totals{.predictions = predictions, .fallbacks = fallbacks};
    if (judged > 0) {
        totals.avg_precision = precision / static_cast<double>(judged);
        totals.avg_recall = recall / static_cast<double>(judged);
    }
    return totals;
}

RouteHistory::Route& RouteHistory::route_of(State& state, const std::string& agent,
                                            std::size_t max_agents) {
    const auto [place, is_new] = state.routes.try_emplace(agent);
    if (!is_new) {
        state.order.erase(place->second.used);
    }
    state.order.push_front(agent);
    Route& route = place->second;
    route.used = state.order.begin();
    if (state.routes.size() > max_agents) {
        state.routes.erase(state.order.back());
        state.order.pop_back();
    }
    return route;
}

bool RouteHistory::on_listed(const std::string& agent, std::string query,
                             std::vector<std::string> tools, std::size_t fallbacks) {
    is_empty_.store(false, std::memory_order_relaxed);
    return state_.with([&](State& state) {
        Route& route = route_of(state, agent, std::max<std::size_t>(max_agents_, 1));
        const bool is_other = route.listed != tools;
        route.query = std::move(query);
        route.listed = std::move(tools);
        route.called.clear();
        route.precision = 0;
        route.recall = 0;
        ++state.sums.predictions;
        state.sums.fallbacks += fallbacks;
        return is_other;
    });
}

std::optional<CalledPlace> RouteHistory::on_called(const std::string& agent,
                                                   const std::string& tool) {
    return state_.with([&](State& state) -> std::optional<CalledPlace> {
        const auto found = state.routes.find(agent);
        if (found == state.routes.end() || found->second.called.size() >= kMaxCalledTools ||
            !found->second.called.insert(tool).second) {
            return std::nullopt;
        }
        Route& route = found->second;
        const auto hits = static_cast<double>(std::ranges::count_if(
            route.listed, [&](const std::string& name) { return route.called.contains(name); }));
        const auto listed = static_cast<double>(std::max<std::size_t>(route.listed.size(), 1));
        const double precision = hits / listed;
        const double recall = hits / static_cast<double>(route.called.size());
        state.sums.judged += route.called.size() == 1 ? 1 : 0;
        state.sums.precision += precision - route.precision;
        state.sums.recall += recall - route.recall;
        route.precision = precision;
        route.recall = recall;
        const auto place = std::ranges::find(route.listed, tool);
        const bool is_listed = place != route.listed.end();
        return CalledPlace{
            .query = route.query,
            .place = is_listed ? static_cast<std::size_t>(place - route.listed.begin()) + 1 : 0,
            .listed = route.listed.size()};
    });
}

void RouteHistory::on_shown(const std::string& agent) {
    state_.with([&](State& state) {
        const auto found = state.routes.find(agent);
        if (found != state.routes.end()) {
            found->second.shown = found->second.listed;
        }
    });
}

bool RouteHistory::was_shown(const std::string& agent, const std::string& tool) const {
    return state_.with([&](const State& state) {
        const auto found = state.routes.find(agent);
        return found != state.routes.end() &&
               std::ranges::find(found->second.shown, tool) != found->second.shown.end();
    });
}

std::optional<std::vector<std::string>> RouteHistory::listed_for(const std::string& agent) const {
    return state_.with([&](const State& state) -> std::optional<std::vector<std::string>> {
        const auto found = state.routes.find(agent);
        return found == state.routes.end() ? std::nullopt : std::optional{found->second.listed};
    });
}

RouterTotals RouteHistory::totals() const {
    return state_.with([](const State& state) { return state.sums.totals(); });
}

}  // namespace holdfast::surface
