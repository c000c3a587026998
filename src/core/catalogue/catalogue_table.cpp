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
        shelves_.push_back({.server = server, .kept = {}, .shown = {}});
        empty.push_back({.server = server, .items = {}});
    }
    current_ = std::make_shared<const Catalogue>(0, std::move(empty), options_.catalogue);
}

void CatalogueTable::on_list(std::string_view server, std::vector<ListedItem> items,
                             TimePoint now) {
    const auto shelf = std::ranges::find(shelves_, server, &Shelf::name);
    if (shelf == shelves_.end()) {
        return;  // not configured any more
    }
    std::unordered_set<std::string_view> listed;
    for (const ListedItem& item : items) {
        listed.insert(item.name);
    }
    std::vector<Kept> kept;
    kept.reserve(items.size());
    std::vector<Kept> withdrawn;
    for (Kept& old : shelf->kept) {
        if (!listed.contains(old.item.name)) {
            if (!old.withdraw_at) {
                old.withdraw_at = resilience::saturating_add(now, options_.withdraw_after);
            }
            withdrawn.push_back(std::move(old));
        }
    }
    for (ListedItem& item : items) {
        kept.push_back({.item = std::move(item), .withdraw_at = std::nullopt});
    }
    std::ranges::move(withdrawn, std::back_inserter(kept));
    shelf->kept = std::move(kept);
    note_change(now);
}

std::shared_ptr<const Catalogue> CatalogueTable::take_new(TimePoint now) {
    bool has_withdrawn = false;
    for (Shelf& shelf : shelves_) {
        has_withdrawn |= withdraw(shelf, now);
    }
    const bool is_due = show_at_ && now >= *show_at_;
    if (!is_due && !has_withdrawn) {
        return nullptr;
    }
    show_at_.reset();
    if (!show_shelves()) {
        return nullptr;
    }
    make_snapshot();
    return current_;
}

void CatalogueTable::set_servers(const std::vector<ServerName>& servers, TimePoint now) {
    std::vector<Shelf> shelves;
    shelves.reserve(servers.size());
    for (const ServerName& server : servers) {
        const auto known = std::ranges::find(shelves_, server.name, &Shelf::name);
        if (known != shelves_.end()) {
            shelves.push_back(std::move(*known));
            shelves.back().server = server;
            known->server.name.clear();
        } else {
            shelves.push_back({.server = server, .kept = {}, .shown = {}});
        }
        std::ignore = withdraw(shelves.back(), now);
    }
    shelves_ = std::move(shelves);
    show_at_.reset();
    std::ignore = show_shelves();  // There is a snapshot either way.
    make_snapshot();
}

// Whether any of them looks different now.
bool CatalogueTable::show_shelves() {
    bool has_changed = false;
    for (Shelf& shelf : shelves_) {
        std::vector<ListedItem> items;
        items.reserve(shelf.kept.size());
        for (const Kept& kept : shelf.kept) {
            items.push_back(kept.item);
        }
        // What did not change is shared with the snapshot before.
        const bool is_same = shelf.shown ? *shelf.shown == items : items.empty();
        if (!is_same) {
            has_changed = true;
            shelf.shown = std::make_shared<const std::vector<ListedItem>>(std::move(items));
        }
    }
    return has_changed;
}

void CatalogueTable::make_snapshot() {
    std::vector<ServerItems> servers;
    servers.reserve(shelves_.size());
    for (const Shelf& shelf : shelves_) {
        servers.push_back({.server = shelf.server, .items = shelf.shown});
    }
    current_ = std::make_shared<const Catalogue>(current_->generation() + 1, std::move(servers),
                                                 options_.catalogue);
}

std::optional<TimePoint> CatalogueTable::next_time() const {
    std::optional<TimePoint> next = show_at_;
    for (const Shelf& shelf : shelves_) {
        for (const Kept& kept : shelf.kept) {
            if (kept.withdraw_at && (!next || *kept.withdraw_at < *next)) {
                next = kept.withdraw_at;
            }
        }
    }
    return next;
}

void CatalogueTable::note_change(TimePoint now) {
    // The first change of a storm sets the time, so that a storm cannot put it off for ever.
    if (!show_at_) {
        show_at_ = resilience::saturating_add(now, options_.gather_for);
    }
}

bool CatalogueTable::withdraw(Shelf& shelf, TimePoint now) {
    return std::erase_if(shelf.kept, [now](const Kept& kept) {
               return kept.withdraw_at && now >= *kept.withdraw_at;
           }) > 0;
}

}  // namespace holdfast::catalogue
