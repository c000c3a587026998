#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"
#include "record/recorder.hpp"
#include "surface/route_history.hpp"
#include "surface/surface_options.hpp"
#include "surface/tool_finder.hpp"

namespace holdfast::surface {

/// An agent's query for tools.
struct RouterQuery {
    std::string agent = {};  ///< Identifies the agent; see `agent_key`.
    std::string text = {};
    std::optional<std::size_t> limit = std::nullopt;  ///< Unset = as configured.
    std::string server = {};                          ///< Only its tools; empty = all.
    bool is_detailed = false;  ///< The answer is for an operator: with scores and descriptions.
    std::shared_ptr<const Surface> surface = {};
    resilience::TimePoint now = {};
};

/// The tools found. Every tool is on the surface.
struct RouterAnswer {
    std::shared_ptr<const Surface> surface = {};
    search::SearchAnswer found = {};
    std::string query = {};
    std::string server = {};
    bool is_detailed = false;
    resilience::TimePoint now = {};
    bool is_new_list = false;  ///< Differs from this agent's previous list.
};

/// Returns the exposed names in order.
[[nodiscard]] std::vector<std::string> ids_of(const search::SearchAnswer& found);

/// Finds tools for agents, remembers each agent's last list, and measures how well it matched.
///
/// Thread-safety: from any thread.
class Router final : public std::enable_shared_from_this<Router> {
public:
    /// Nothing if the coroutine was cancelled.
    using Answer = boost::asio::awaitable<std::optional<RouterAnswer>>;

    /// `finder` and `recorder` may be null.
    Router(std::shared_ptr<const SurfaceOptions> options, std::shared_ptr<ToolFinder> finder,
           std::shared_ptr<record::Recorder> recorder);

    [[nodiscard]] const SurfaceOptions& options() const noexcept { return *options_; }
    [[nodiscard]] const RouteHistory& routes() const noexcept { return routes_; }
    [[nodiscard]] FinderProgress progress() const;

    void show(const std::shared_ptr<const Surface>& surface) const;
    /// Finds tools for an agent, remembers them and records the query. Must be awaited on `loop`.
    [[nodiscard]] Answer find(RouterQuery query, net::OwningLoop loop);
    /// Does the same for an operator: remembers and records nothing.
    [[nodiscard]] Answer look(RouterQuery query, net::OwningLoop loop) const;
    /// Returns the tools that an agent sees in the mode `routed` before its first query: the answer
    /// to an empty query, which needs no index. Nothing is recorded.
    [[nodiscard]] std::vector<std::string> first_list(const std::shared_ptr<const Surface>& surface,
                                                      resilience::TimePoint now) const;
    /// An agent has received the list of its last query.
    void on_shown(const std::string& agent) { routes_.on_shown(agent); }
    /// An agent calls a downstream's tool by its exposed name.
    void on_called(const std::string& agent, const std::string& tool);

private:
    // The coroutines own the router, because the gateway may end while they wait.
    static Answer find_and_record(std::shared_ptr<Router> self, RouterQuery query,
                                  net::OwningLoop loop);
    static Answer run_query(std::shared_ptr<const Router> self, RouterQuery query,
                            net::OwningLoop loop);
    [[nodiscard]] FinderQuery finder_query(const RouterQuery& query) const;
    /// Returns whether the agent gets another list than before.
    [[nodiscard]] bool remember(const RouterQuery& query, const search::SearchAnswer& found);
    void record(const RouterQuery& query, const search::SearchAnswer& found) const;

    const std::shared_ptr<const SurfaceOptions> options_;
    const std::shared_ptr<ToolFinder> finder_;
    const std::shared_ptr<record::Recorder> recorder_;
    RouteHistory routes_;
};

}  // namespace holdfast::surface
