#include "surface/catalogue_publisher.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "net/run_on.hpp"

namespace holdfast::surface {
namespace {

std::vector<catalogue::ServerName> names_of(const std::vector<Server>& servers) {
    std::vector<catalogue::ServerName> names;
    names.reserve(servers.size());
    for (const Server& server : servers) {
        names.push_back({.name = server.name, .has_prefix = server.has_prefix});
    }
    return names;
}

std::vector<catalogue::ListedItem> items_of(downstream::Listing& listing) {
    std::vector<catalogue::ListedItem> items;
    items.reserve(listing.entries.size());
    for (downstream::ListedEntry& entry : listing.entries) {
        items.push_back({.name = std::move(entry.key),
                         .definition = std::move(entry.definition),
                         .repaired = std::move(entry.repaired)});
    }
    return items;
}

bool shows_the_same(const catalogue::Catalogue& one, const catalogue::Catalogue& other) {
    return std::ranges::equal(
        one.items(), other.items(), [](const catalogue::Item& left, const catalogue::Item& right) {
            return left.exposed_name == right.exposed_name && left.definition == right.definition;
        });
}

}  // namespace

CataloguePublisher::CataloguePublisher(net::OwningLoop home,
                                       std::shared_ptr<const std::vector<Server>> servers,
                                       const catalogue::CatalogueTableOptions& options,
                                       Publish publish, SurfaceContext terms, Repeated on_repeated)
    : home_(std::move(home)),
      servers_(std::move(servers)),
      options_(options),
      publish_(std::move(publish)),
      on_repeated_(std::move(on_repeated)),
      terms_(std::move(terms)) {
    const std::vector<catalogue::ServerName> names = names_of(*servers_);
    catalogue::CatalogueTableOptions tool_options = options;
    if (terms_.own) {
        tool_options.catalogue.reserved = terms_.own->names();
    }
    tables_.reserve(kListKinds);
    for (std::size_t kind = 0; kind < kListKinds; ++kind) {
        const bool is_tools = kind == static_cast<std::size_t>(ListKind::tools);
        tables_.emplace_back(names, is_tools ? tool_options : options);
    }
}

CataloguePublisher::~CataloguePublisher() {
    if (timer_.is_scheduled()) {
        home_.timekeeper->cancel(timer_);
    }
}

void CataloguePublisher::on_listed(const std::string& server, downstream::Listing listing) {
    net::run_on(home_, [self = shared_from_this(), server, listing = std::move(listing)]() mutable {
        self->note(server, std::move(listing));
        self->schedule_next();
    });
}

void CataloguePublisher::note(const std::string& server, downstream::Listing listing) {
    const auto kind = static_cast<std::size_t>(listing.kind);
    unshown_.emplace(server, listing.kind);
    hints_[kind][server] = {.ttl_ms = listing.ttl_ms, .is_public = listing.is_public};
    tables_[kind].on_list(server, items_of(listing), home_.timekeeper->now());
}

void CataloguePublisher::on_announced(ListKind kind) {
    net::run_on(home_, [self = shared_from_this(), kind] {
        self->announced_[static_cast<std::size_t>(kind)] = true;
        if (!self->announce_at_) {
            self->announce_at_ = self->home_.timekeeper->now() + self->options_.debounce;
        }
        self->schedule_next();
    });
}

void CataloguePublisher::begin_with(std::vector<std::pair<std::string, downstream::Listing>> known,
                                    std::set<std::string> starting) {
    starting_ = std::move(starting);
    for (auto& [server, listing] : known) {
        note(server, std::move(listing));
    }
    // Passes a time after the debounce interval, so that the tables release everything at once.
    const resilience::TimePoint later = home_.timekeeper->now() + options_.debounce;
    for (catalogue::CatalogueTable& table : tables_) {
        std::ignore = table.take_new(later);
    }
    publish_({.surface = next_surface(), .shown = std::exchange(unshown_, {})});
    schedule_next();
}

void CataloguePublisher::on_unlisted(const std::string& server) {
    net::run_on(home_, [self = shared_from_this(), server] {
        if (self->starting_.erase(server) == 0 || !self->terms_.options) {
            return;
        }
        const auto tools = static_cast<std::size_t>(ListKind::tools);
        const std::size_t count = self->tables_[tools].current()->items().size();
        if (mode_for(*self->terms_.options, count, self->starting_.size()) != self->mode_) {
            ChangedLists changed = {};
            changed[tools] = true;
            self->publish_({.surface = self->next_surface(), .changed = changed});
        }
    });
}

void CataloguePublisher::set_servers(std::shared_ptr<const std::vector<Server>> servers) {
    servers_ = std::move(servers);
    const std::vector<catalogue::ServerName> names = names_of(*servers_);
    const auto is_gone = [&names](const auto& hint) {
        return std::ranges::find(names, hint.first, &catalogue::ServerName::name) == names.end();
    };
    std::erase_if(starting_, [&names](const std::string& server) {
        return std::ranges::find(names, server, &catalogue::ServerName::name) == names.end();
    });
    ChangedLists changed = {};
    for (std::size_t kind = 0; kind < kListKinds; ++kind) {
        std::erase_if(hints_[kind], is_gone);
        const auto before = tables_[kind].current();
        tables_[kind].set_servers(names, home_.timekeeper->now());
        changed[kind] = !shows_the_same(*before, *tables_[kind].current());
    }
    // Always publishes a new surface, because it routes to other downstreams.
    publish_({.surface = next_surface(), .changed = changed, .shown = std::exchange(unshown_, {})});
    schedule_next();
}

void CataloguePublisher::publish_changes() {
    const resilience::TimePoint now = home_.timekeeper->now();
    ChangedLists changed = {};
    if (announce_at_ && *announce_at_ <= now) {
        changed = std::exchange(announced_, {});
        announce_at_.reset();
    }
    ChangedLists taken = {};
    ChangedLists same = {};
    for (std::size_t kind = 0; kind < kListKinds; ++kind) {
        taken[kind] = tables_[kind].take_new(now) != nullptr;
        same[kind] = !taken[kind] && !tables_[kind].has_pending_change();
        changed[kind] = changed[kind] || taken[kind];
    }
    if (const auto repeated = take_unshown(same); on_repeated_ && !repeated.empty()) {
        on_repeated_(repeated);
    }
    if (changed != ChangedLists{}) {
        std::set<ServerList> shown = take_unshown(taken);
        drop_starting(shown);
        publish_({.surface = taken != ChangedLists{} ? next_surface() : nullptr,
                  .changed = changed,
                  .shown = std::move(shown)});
    }
    schedule_next();
}

void CataloguePublisher::schedule_next() {
    std::optional<resilience::TimePoint> next = announce_at_;
    for (const catalogue::CatalogueTable& table : tables_) {
        if (const auto time = table.next_time(); time && (!next || *time < *next)) {
            next = time;
        }
    }
    if (next) {
        home_.timekeeper->schedule(timer_, *next);
    } else {
        home_.timekeeper->cancel(timer_);
    }
}

std::shared_ptr<const Surface> CataloguePublisher::next_surface() {
    note_uri_owners();
    SurfaceContext terms = terms_;
    terms.starting_servers = starting_.size();
    auto surface =
        std::make_shared<Surface>(++generation_, servers_, current(), merged_hints(), terms);
    mode_ = surface->mode();
    return surface;
}

void CataloguePublisher::drop_starting(const std::set<ServerList>& shown) {
    for (const auto& [server, kind] : shown) {
        if (kind == ListKind::tools) {
            starting_.erase(server);
        }
    }
}

void CataloguePublisher::note_uri_owners() {
    const auto resources = tables_[static_cast<std::size_t>(ListKind::resources)].current();
    std::shared_ptr<catalogue::NameOwners> owners;
    for (const catalogue::Item& item : resources->items()) {
        const auto& known = owners ? owners : terms_.uri_owners;
        if (known && (known->is_full() || known->find(item.name))) {
            continue;
        }
        if (!owners) {
            // Copied, because surfaces that are in use have the previous one.
            owners = terms_.uri_owners ? std::make_shared<catalogue::NameOwners>(*terms_.uri_owners)
                                       : std::make_shared<catalogue::NameOwners>();
        }
        owners->note(item.name, item.server);
    }
    if (owners) {
        terms_.uri_owners = std::move(owners);
    }
}

std::set<ServerList> CataloguePublisher::take_unshown(const ChangedLists& kinds) {
    std::set<ServerList> taken;
    for (auto list = unshown_.begin(); list != unshown_.end();) {
        const auto next = std::next(list);
        if (kinds[static_cast<std::size_t>(list->second)]) {
            taken.insert(unshown_.extract(list));
        }
        list = next;
    }
    return taken;
}

Catalogues CataloguePublisher::current() const {
    Catalogues catalogues;
    for (std::size_t kind = 0; kind < kListKinds; ++kind) {
        catalogues[kind] = tables_[kind].current();
    }
    return catalogues;
}

std::array<CacheHint, kListKinds> CataloguePublisher::merged_hints() const {
    std::array<CacheHint, kListKinds> merged = {};
    for (std::size_t kind = 0; kind < kListKinds; ++kind) {
        bool is_first = true;
        for (const auto& [server, hint] : hints_[kind]) {
            merged[kind].ttl_ms =
                is_first ? hint.ttl_ms : std::min(merged[kind].ttl_ms, hint.ttl_ms);
            merged[kind].is_public = (is_first || merged[kind].is_public) && hint.is_public;
            is_first = false;
        }
    }
    return merged;
}

}  // namespace holdfast::surface
