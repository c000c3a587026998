#include "surface/surface.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "surface/argument_schema.hpp"
#include "surface/rendered_item.hpp"
#include "surface/uri_template.hpp"

namespace holdfast::surface {
namespace {

std::size_t index_of(ListKind kind) {
    return static_cast<std::size_t>(kind);
}

/// Adds the config's rule for the arguments, which is not part of the listed schema.
void add_rule(Callable& callable, const catalogue::Item& item) {
    if (!callable.arguments || callable.server == nullptr || !callable.server->checks) {
        return;
    }
    const auto found = callable.server->checks->find(callable.own_name);
    if (found != callable.server->checks->end()) {
        callable.arguments = std::make_shared<const ArgumentSchema>(item.definition, found->second);
    }
}

}  // namespace

Surface::Surface(std::uint64_t generation, std::shared_ptr<const std::vector<Server>> servers,
                 Catalogues catalogues, std::array<CacheHint, kListKinds> hints,
                 const SurfaceContext& terms)
    : generation_(generation),
      servers_(std::move(servers)),
      catalogues_(std::move(catalogues)),
      hints_(hints),
      own_(terms.own),
      options_(terms.options),
      uri_owners_(terms.uri_owners) {
    render_callables(ListKind::tools, tools_);
    render_callables(ListKind::prompts, prompts_);
    collect_resources();
    collect_templates();
    describe_own();
    add_own();
    if (options_) {
        mode_ = mode_for(*options_, tools_.size(), terms.starting_servers);
    }
    if (mode_ != SurfaceMode::all) {
        collect_pinned();
        short_list_ = routed_tools({});
    }
}

const Server* Surface::server_named(std::string_view name) const {
    const auto found = std::ranges::find(*servers_, name, &Server::name);
    return found == servers_->end() ? nullptr : &*found;
}

void Surface::render_callables(ListKind kind, std::vector<Callable>& callables) {
    const auto items = catalogues_[index_of(kind)]->items();
    callables.reserve(items.size());
    const Server* server = nullptr;
    for (const catalogue::Item& item : items) {
        if (server == nullptr || server->name != item.server) {
            server = server_named(item.server);
        }
        RenderedItem rendered =
            kind == ListKind::tools ? rendered_tool(item) : rendered_prompt(item);
        rendered.callable.server = server;
        add_rule(rendered.callable, item);
        lists_[index_of(kind)].add(rendered.modern, rendered.legacy);
        callables.push_back(std::move(rendered.callable));
    }
}

void Surface::collect_resources() {
    for (const catalogue::Item& item : catalogues_[index_of(ListKind::resources)]->items()) {
        if (find_own_resource(item.name) != nullptr) {
            continue;
        }
        // If two downstreams list the same URI, it stays with the one that listed it first; if they
        // did at the same time, with the first one in the config.
        const Server* owner = owner_of(item.name);
        if (owner != nullptr && owner->name != item.server) {
            continue;
        }
        if (resources_.emplace(item.name, server_named(item.server)).second) {
            lists_[index_of(ListKind::resources)].add(item.shown(), {});
        }
    }
}

void Surface::collect_templates() {
    std::unordered_set<std::string_view> seen;
    for (const catalogue::Item& item : catalogues_[index_of(ListKind::templates)]->items()) {
        if (seen.insert(item.name).second) {
            templates_.emplace_back(item.name, server_named(item.server));
            lists_[index_of(ListKind::templates)].add(item.shown(), {});
        }
    }
}

void Surface::add_own() {
    if (!own_) {
        return;
    }
    for (const BuiltinItems::Tool& tool : own_->tools()) {
        if (tool.own.listed == BuiltinTool::Listed::always) {
            lists_[index_of(ListKind::tools)].add(own_definition(tool), {});
        }
    }
    for (const BuiltinResource& resource : own_->resources()) {
        lists_[index_of(ListKind::resources)].add(resource.definition, {});
    }
}

void Surface::describe_own() {
    if (!own_) {
        return;
    }
    std::vector<ServerTools> servers;
    std::unordered_map<const Server*, std::size_t> counts;
    for (const Callable& tool : tools_) {
        ++counts[tool.server];
    }
    for (const Server& server : *servers_) {
        servers.push_back({.server = server.name, .count = counts[&server]});
    }
    own_definitions_.reserve(own_->tools().size());
    for (const BuiltinItems::Tool& tool : own_->tools()) {
        own_definitions_.push_back(tool.own.describe ? tool.own.describe(servers) : std::string{});
    }
}

std::string_view Surface::own_definition(const BuiltinItems::Tool& tool) const {
    const auto index = static_cast<std::size_t>(&tool - own_->tools().data());
    const std::string& own = own_definitions_[index];
    return own.empty() ? std::string_view{tool.own.definition} : std::string_view{own};
}

void Surface::collect_pinned() {
    for (std::size_t index = 0; index < tools_.size(); ++index) {
        const Callable& tool = tools_[index];
        if (is_pinned(*options_, tool.exposed_name, tool.server->name, tool.own_name)) {
            pinned_.push_back(index);
        }
    }
}

void Surface::add_tool(ItemList& list, std::size_t index) const {
    const ItemList& all = lists_[index_of(ListKind::tools)];
    const std::string_view modern = all.page(mcp::Era::modern, index, 1);
    const std::string_view legacy = all.page(mcp::Era::legacy, index, 1);
    const bool is_pinned_tool = std::ranges::find(pinned_, index) != pinned_.end();
    if (!is_pinned_tool) {
        list.add(modern, legacy == modern ? std::string_view{} : legacy);
    } else if (legacy == modern) {
        list.add(with_always_load(modern), {});
    } else {
        list.add(with_always_load(modern), with_always_load(legacy));
    }
}

const ItemList& Surface::shown_tools() const {
    return mode_ == SurfaceMode::all ? lists_[index_of(ListKind::tools)] : short_list_;
}

bool Surface::is_always_listed(const Callable& tool) const {
    const auto index = static_cast<std::size_t>(&tool - tools_.data());
    return mode_ == SurfaceMode::all || std::ranges::find(pinned_, index) != pinned_.end();
}

ItemList Surface::routed_tools(std::span<const std::string> found) const {
    ItemList list;
    std::vector<std::size_t> indexes;
    indexes.reserve(found.size());
    for (const std::string& name : found) {
        if (const auto index = index_of_tool(name)) {
            indexes.push_back(*index);
            add_tool(list, *index);
        }
    }
    for (const std::size_t index : pinned_) {
        if (std::ranges::find(indexes, index) == indexes.end()) {
            add_tool(list, index);
        }
    }
    if (own_) {
        for (const BuiltinItems::Tool& tool : own_->tools()) {
            list.add(own_definition(tool), {});
        }
    }
    return list;
}

std::optional<std::size_t> Surface::index_of_tool(std::string_view name) const {
    const Callable* tool = find_tool(name);
    return tool == nullptr ? std::nullopt
                           : std::optional{static_cast<std::size_t>(tool - tools_.data())};
}

std::optional<std::string> Surface::definition_of(std::string_view name, mcp::Era era) const {
    if (const BuiltinItems::Tool* own = find_builtin_tool(name)) {
        return std::string{own_definition(*own)};
    }
    const auto index = index_of_tool(name);
    return index
               ? std::optional{std::string{lists_[index_of(ListKind::tools)].page(era, *index, 1)}}
               : std::nullopt;
}

const BuiltinItems::Tool* Surface::find_builtin_tool(std::string_view name) const {
    return own_ ? own_->find_tool(name) : nullptr;
}

const BuiltinResource* Surface::find_own_resource(std::string_view uri) const {
    return own_ ? own_->find_resource(uri) : nullptr;
}

const ItemList& Surface::list(ListKind kind) const {
    return lists_[index_of(kind)];
}

const CacheHint& Surface::hint(ListKind kind) const {
    return hints_[index_of(kind)];
}

const catalogue::Catalogue& Surface::catalogue(ListKind kind) const {
    return *catalogues_[index_of(kind)];
}

const Callable* Surface::find(ListKind kind, const std::vector<Callable>& callables,
                              std::string_view name) const {
    const catalogue::Catalogue& catalogue = *catalogues_[index_of(kind)];
    const catalogue::Item* item = catalogue.find(name);
    return item == nullptr ? nullptr
                           : &callables[static_cast<std::size_t>(item - catalogue.items().data())];
}

const Callable* Surface::find_tool(std::string_view name) const {
    return find(ListKind::tools, tools_, name);
}

const Callable* Surface::find_prompt(std::string_view name) const {
    return find(ListKind::prompts, prompts_, name);
}

std::vector<std::string_view> Surface::nearest_tools(std::string_view name,
                                                     std::size_t count) const {
    return catalogues_[index_of(ListKind::tools)]->nearest(name, count);
}

std::vector<std::string_view> Surface::nearest_prompts(std::string_view name,
                                                       std::size_t count) const {
    return catalogues_[index_of(ListKind::prompts)]->nearest(name, count);
}

const Server* Surface::owner_of(std::string_view uri) const {
    const auto owner = uri_owners_ ? uri_owners_->find(uri) : std::nullopt;
    return owner ? server_named(*owner) : nullptr;
}

const Server* Surface::find_resource(std::string_view uri) const {
    if (const auto found = resources_.find(uri); found != resources_.end()) {
        return found->second;
    }
    if (const Server* owner = owner_of(uri)) {
        return owner;  // does not list it at present
    }
    const bool is_only = servers_->size() == 1;
    const auto match = std::ranges::find_if(templates_, [uri, is_only](const auto& known) {
        return (is_only || has_literal_beginning(known.first)) &&
               matches_template(uri, known.first);
    });
    if (match != templates_.end()) {
        return match->second;
    }
    return is_only ? &servers_->front() : nullptr;
}

const Server* Surface::find_template(std::string_view uri_template) const {
    const auto match = std::ranges::find(templates_, uri_template,
                                         &std::pair<std::string_view, const Server*>::first);
    return match != templates_.end() ? match->second : find_resource(uri_template);
}

}  // namespace holdfast::surface
