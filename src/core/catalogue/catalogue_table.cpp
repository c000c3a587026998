#include "catalogue/catalogue_table.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace holdfast::catalogue {

CatalogueTable::CatalogueTable(const std::vector<ServerName>& servers,
                               const CatalogueTableOptions& options)
    : options_(options) {
    std::vector<ServerItems> empty;
    for (const ServerName& server : servers) {
        lists_.push_back({.server = server, .entries = {}, .shown = {}});
        empty.push_back({.server = server, .items = {}});
    }
    current_ = std::make_shared<const Catalogue>(0, std::move(empty), options_.catalogue);
}

void CatalogueTable::on_list(std::string_view server, std::vector<ListedItem> items,
                             TimePoint now) {
    const auto list = std::ranges::find(lists_, server, &ServerList::name);
    if (list == lists_.end()) {
        return;  // no longer configured
    }
    std::unordered_set<std::string_view> listed;
    for (const ListedItem& item : items) {
        listed.insert(item.name);
    }
    std::vector<Entry> entries;
    entries.reserve(items.size());
    std::vector<Entry> withdrawn;
    for (Entry& old : list->entries) {
        if (!listed.contains(old.item.name)) {
            if (!old.withdraw_at) {
                old.withdraw_at = resilience::saturating_add(now, options_.withdraw_after);
            }
            withdrawn.push_back(std::move(old));
        }
    }
    for (ListedItem& item : items) {
        entries.push_back({.item = std::move(item), .withdraw_at = std::nullopt});
    }
    std::ranges::move(withdrawn, std::back_inserter(entries));
    list->entries = std::move(entries);
    note_change(now);
}

std::shared_ptr<const Catalogue> CatalogueTable::take_new(TimePoint now) {
    bool has_withdrawn = false;
    for (ServerList& list : lists_) {
        has_withdrawn |= withdraw(list, now);
    }
    const bool is_due = show_at_ && now >= *show_at_;
    if (!is_due && !has_withdrawn) {
        return nullptr;
    }
    show_at_.reset();
    if (!update_shown()) {
        return nullptr;
    }
    make_snapshot();
    return current_;
}

void CatalogueTable::set_servers(const std::vector<ServerName>& servers, TimePoint now) {
    std::vector<ServerList> lists;
    lists.reserve(servers.size());
    for (const ServerName& server : servers) {
        const auto known = std::ranges::find(lists_, server.name, &ServerList::name);
        if (known != lists_.end()) {
            lists.push_back(std::move(*known));
            lists.back().server = server;
            known->server.name.clear();
        } else {
            lists.push_back({.server = server, .entries = {}, .shown = {}});
        }
        std::ignore = withdraw(lists.back(), now);
    }
    lists_ = std::move(lists);
    show_at_.reset();
    std::ignore = update_shown();  // set_servers always makes a snapshot
    make_snapshot();
}

// Returns whether any list changed.
bool CatalogueTable::update_shown() {
    bool has_changed = false;
    for (ServerList& list : lists_) {
        std::vector<ListedItem> items;
        items.reserve(list.entries.size());
        for (const Entry& entry : list.entries) {
            items.push_back(entry.item);
        }
        // Unchanged lists are shared with the previous snapshot.
        const bool is_same = list.shown ? *list.shown == items : items.empty();
        if (!is_same) {
            has_changed = true;
            list.shown = std::make_shared<const std::vector<ListedItem>>(std::move(items));
        }
    }
    return has_changed;
}

void CatalogueTable::make_snapshot() {
    std::vector<ServerItems> servers;
    servers.reserve(lists_.size());
    for (const ServerList& list : lists_) {
        servers.push_back({.server = list.server, .items = list.shown});
    }
    current_ = std::make_shared<const Catalogue>(current_->generation() + 1, std::move(servers),
                                                 options_.catalogue, owners_);
}

std::optional<TimePoint> CatalogueTable::next_time() const {
    std::optional<TimePoint> next = show_at_;
    for (const ServerList& list : lists_) {
        for (const Entry& entry : list.entries) {
            if (entry.withdraw_at && (!next || *entry.withdraw_at < *next)) {
                next = entry.withdraw_at;
            }
        }
    }
    return next;
}

void CatalogueTable::note_change(TimePoint now) {
    // The first change of a burst sets the time, so that a burst cannot postpone it forever.
    if (!show_at_) {
        show_at_ = resilience::saturating_add(now, options_.debounce);
    }
}

bool CatalogueTable::withdraw(ServerList& list, TimePoint now) {
    return std::erase_if(list.entries, [now](const Entry& entry) {
               return entry.withdraw_at && now >= *entry.withdraw_at;
           }) > 0;
}

}  // namespace holdfast::catalogue
