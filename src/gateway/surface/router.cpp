#include "surface/router.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/text_cut.hpp"
#include "surface/tool_documents.hpp"
#include "surface/tool_health.hpp"

namespace holdfast::surface {
namespace {

constexpr std::size_t kMaxRecordedQueryBytes = 1'000;

search::SearchAnswer answered_unsearched(const FinderQuery& query) {
    const auto catalogue = catalogue_of(*query.surface, query.server);
    return search::find_tools(
        {.query = query.text, .catalogue = catalogue, .is_available = query.is_available},
        query.options);
}

}  // namespace

std::vector<std::string> ids_of(const search::SearchAnswer& found) {
    std::vector<std::string> ids;
    ids.reserve(found.tools.size());
    for (const search::FoundTool& tool : found.tools) {
        ids.push_back(tool.id);
    }
    return ids;
}

Router::Router(std::shared_ptr<const SurfaceOptions> options, std::shared_ptr<ToolFinder> finder,
               std::shared_ptr<record::Recorder> recorder)
    : options_(std::move(options)),
      finder_(std::move(finder)),
      recorder_(std::move(recorder)),
      routes_(options_->max_agents) {}

FinderProgress Router::progress() const {
    return finder_ ? finder_->progress() : FinderProgress{.problem = "there is no index"};
}

void Router::show(const std::shared_ptr<const Surface>& surface) const {
    if (finder_) {
        finder_->show(surface);
    }
}

FinderQuery Router::finder_query(const RouterQuery& query) const {
    FinderQuery wanted{.text = query.text,
                       .server = query.server,
                       .surface = query.surface,
                       .options = options_->ladder};
    if (query.limit) {
        wanted.options.max_tools = std::clamp<std::size_t>(*query.limit, 1, options_->max_limit);
    }
    if (!query.server.empty()) {
        // The tools of other servers take no place among the candidates.
        wanted.options.candidate_factor =
            std::max(wanted.options.candidate_factor,
                     (query.surface->tools().size() / wanted.options.max_tools) + 1);
        wanted.options.max_per_server = 0;
    }
    for (std::string& name : wanted.options.fallback_tools) {
        if (const Callable* tool = query.surface->find_tool(name)) {
            name = tool->exposed_name;
        }
    }
    std::set<std::string, std::less<>> down;
    for (const Server& server : query.surface->servers()) {
        if (is_down(server)) {
            down.insert(server.name);
        }
    }
    wanted.is_available = [surface = query.surface, now = query.now,
                           down = std::move(down)](const search::ListedTool& listed) {
        const Callable* tool = surface->find_tool(listed.id);
        if (tool == nullptr) {
            return true;
        }
        return !down.contains(tool->server->name) &&
               (tool->server->guard == nullptr ||
                !tool->server->guard->is_tool_open(tool->own_name, now));
    };
    return wanted;
}

Router::Answer Router::find(RouterQuery query, net::OwningLoop loop) {
    query.text.resize(base::beginning_of(query.text, options_->max_query_bytes).size());
    return find_and_record(shared_from_this(), std::move(query), std::move(loop));
}

Router::Answer Router::look(RouterQuery query, net::OwningLoop loop) const {
    query.text.resize(base::beginning_of(query.text, options_->max_query_bytes).size());
    return run_query(shared_from_this(), std::move(query), std::move(loop));
}

Router::Answer Router::find_and_record(std::shared_ptr<Router> self, RouterQuery query,
                                       net::OwningLoop loop) {
    auto answer = co_await run_query(self, query, std::move(loop));
    if (answer) {
        self->record(query, answer->found);
        answer->is_new_list = self->remember(query, answer->found);
    }
    co_return answer;
}

Router::Answer Router::run_query(std::shared_ptr<const Router> self, RouterQuery query,
                                 net::OwningLoop loop) {
    FinderQuery wanted = self->finder_query(query);
    std::optional<search::SearchAnswer> found;
    if (self->finder_) {
        found = co_await self->finder_->find(std::move(wanted), std::move(loop));
    } else {
        found = answered_unsearched(wanted);
    }
    if (!found) {
        co_return std::nullopt;
    }
    co_return RouterAnswer{.surface = query.surface,
                           .found = std::move(*found),
                           .query = query.text,
                           .server = query.server,
                           .is_detailed = query.is_detailed,
                           .now = query.now};
}

std::vector<std::string> Router::first_list(const std::shared_ptr<const Surface>& surface,
                                            resilience::TimePoint now) const {
    return ids_of(answered_unsearched(finder_query({.surface = surface, .now = now})));
}

bool Router::remember(const RouterQuery& query, const search::SearchAnswer& found) {
    return routes_.on_listed(query.agent,
                             std::string{base::beginning_of(query.text, kMaxRecordedQueryBytes)},
                             ids_of(found), found.left.size());
}

void Router::record(const RouterQuery& query, const search::SearchAnswer& found) const {
    if (!recorder_) {
        return;
    }
    for (const search::StepLeft& left : found.left) {
        recorder_->on_event({.kind = record::EventKind::fallback,
                             .subject = std::string{search::name_of(left.step)},
                             .what = record::EventWhat::left,
                             .reason = left.reason});
    }
    std::string listed{search::name_of(found.step)};
    for (const search::FoundTool& tool : found.tools) {
        listed.append(&tool == &found.tools.front() ? ": " : ", ").append(tool.id);
    }
    // The recorder decides whether the text of a query may be stored, or only a hash of it.
    recorder_->on_event(
        {.kind = record::EventKind::router,
         .subject = std::string{base::beginning_of(query.text, kMaxRecordedQueryBytes)},
         .what = record::EventWhat::listed,
         .reason = std::move(listed)});
}

void Router::on_called(const std::string& agent, const std::string& tool) {
    const auto place = routes_.on_called(agent, tool);
    if (!place || !recorder_) {
        return;
    }
    const std::string of = " of " + std::to_string(place->listed) + " that were listed";
    recorder_->on_event(
        {.kind = record::EventKind::router,
         .subject = place->query,
         .what = record::EventWhat::called,
         .reason = tool + ": " +
                   (place->place == 0 ? "none" : "number " + std::to_string(place->place)) + of});
}

}  // namespace holdfast::surface
