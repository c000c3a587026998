#include "catalogue/catalogue.hpp"

#include <unordered_set>
#include <utility>

#include "base/nearest_name.hpp"

namespace holdfast::catalogue {

namespace {

Namespaces namespaces_of(const std::vector<ServerItems>& servers) {
    std::vector<std::string_view> keys;
    keys.reserve(servers.size());
    for (const ServerItems& server : servers) {
        keys.emplace_back(server.server.name);
    }
    return Namespaces{keys};
}

}  // namespace

std::optional<std::string_view> NameOwners::find(std::string_view name) const {
    const auto found = owners_.find(name);
    return found == owners_.end() ? std::nullopt : std::optional{std::string_view{found->second}};
}

void NameOwners::note(std::string_view name, std::string_view server) {
    if (!is_full()) {
        owners_.try_emplace(std::string{name}, server);
    }
}

Catalogue::Catalogue(std::uint64_t generation, std::vector<ServerItems> servers,
                     const CatalogueOptions& options, NameOwners& owners)
    : generation_(generation), servers_(std::move(servers)) {
    const Namespaces namespaces = namespaces_of(servers_);
    collect(options.max_items);
    name_items(options, namespaces);
    index_names(namespaces, owners);
}

Catalogue::Catalogue(std::uint64_t generation, std::vector<ServerItems> servers,
                     const CatalogueOptions& options)
    : generation_(generation), servers_(std::move(servers)) {
    const Namespaces namespaces = namespaces_of(servers_);
    NameOwners owners;
    collect(options.max_items);
    name_items(options, namespaces);
    index_names(namespaces, owners);
}

void Catalogue::name_items(const CatalogueOptions& options, const Namespaces& namespaces) {
    const bool usually_has_prefix = needs_prefix(options.prefixing, servers_.size());
    std::unordered_map<std::string_view, bool> has_prefix;
    for (const ServerItems& server : servers_) {
        has_prefix.emplace(server.server.name,
                           server.server.has_prefix.value_or(usually_has_prefix));
    }
    std::vector<OriginalName> originals;
    originals.reserve(items_.size());
    for (const Item& item : items_) {
        originals.push_back(
            {.server = item.server, .name = item.name, .has_prefix = has_prefix.at(item.server)});
    }
    auto names = exposed_names(originals, options.reserved, namespaces);
    for (std::size_t index = 0; index < items_.size(); ++index) {
        items_[index].exposed_name = std::move(names[index]);
    }
}

void Catalogue::collect(std::size_t max_items) {
    for (const ServerItems& server : servers_) {
        if (!server.items) {
            continue;
        }
        std::unordered_set<std::string_view> seen;
        for (const ListedItem& item : *server.items) {
            if (!seen.insert(item.name).second) {
                continue;  // the server lists this name twice; the first one counts
            }
            if (items_.size() >= max_items) {
                ++overflow_;
            } else {
                items_.push_back({.server = server.server.name,
                                  .name = item.name,
                                  .exposed_name = {},
                                  .definition = item.definition,
                                  .repaired = item.repaired});
            }
        }
    }
}

void Catalogue::index_names(const Namespaces& namespaces, NameOwners& owners) {
    by_name_.reserve(items_.size() * 3);
    for (std::size_t index = 0; index < items_.size(); ++index) {
        by_name_.emplace(items_[index].exposed_name, index);
    }
    // Bare names come last: they must not hide exposed or full names.
    std::unordered_map<std::string_view, std::size_t> bare;
    for (std::size_t index = 0; index < items_.size(); ++index) {
        const Item& item = items_[index];
        std::string full{item.server};
        full.append(".").append(item.name);
        if (namespaces.is_foreign(item.name, item.server) ||
            namespaces.is_foreign(full, item.server)) {
            continue;
        }
        by_name_.emplace(std::move(full), index);
        const auto owner = owners.find(item.name);
        if (owner && *owner != item.server) {
            continue;
        }
        const auto [place, is_new] = bare.emplace(item.name, index);
        if (!is_new) {
            place->second = kAmbiguous;
        }
    }
    for (const auto& [name, index] : bare) {
        if (index != kAmbiguous) {
            by_name_.emplace(name, index);
            owners.note(name, items_[index].server);
        }
    }
}

const Item* Catalogue::find(std::string_view name) const {
    const auto place = by_name_.find(name);
    return place == by_name_.end() ? nullptr : &items_[place->second];
}

std::vector<std::string_view> Catalogue::nearest(std::string_view name, std::size_t count) const {
    std::vector<std::string_view> names;
    names.reserve(items_.size());
    for (const Item& item : items_) {
        names.push_back(item.exposed_name);
    }
    return base::nearest_names(name, names, count);
}

}  // namespace holdfast::catalogue
