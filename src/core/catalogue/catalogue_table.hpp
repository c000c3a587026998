#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::catalogue {

using resilience::Duration;
using resilience::TimePoint;

struct CatalogueTableOptions {
    CatalogueOptions catalogue = {};
    /// How long an item stays after its downstream stopped listing it: a flapping server should not
    /// make tools appear and disappear.
    Duration withdraw_after = std::chrono::seconds{30};
    /// Debounce time: changes within it are published as one snapshot.
    Duration debounce = std::chrono::milliseconds{50};
};

/// Stores what every downstream lists and makes snapshots of it. It has no timer: the caller passes
/// the time and calls `take_new` again at `next_time`.
///
/// Thread-safety: none; one owner, which distributes the snapshots.
class CatalogueTable final {
public:
    /// `servers` lists the configured downstreams in their order.
    CatalogueTable(const std::vector<ServerName>& servers,
                   const CatalogueTableOptions& options = {});

    /// Replaces the list of a downstream. It comes from the downstream or from the cache of an
    /// earlier run.
    void on_list(std::string_view server, std::vector<ListedItem> items, TimePoint now);

    /// Changes the configured downstreams. Withdraws the items of removed downstreams immediately
    /// and keeps the lists of the others. Always makes a new snapshot, which `current` returns
    /// afterwards.
    void set_servers(const std::vector<ServerName>& servers, TimePoint now);

    /// Returns a new snapshot if it is time to publish one, otherwise null. Each snapshot
    /// increments the generation.
    [[nodiscard]] std::shared_ptr<const Catalogue> take_new(TimePoint now);

    /// Returns when to call `take_new` again, or nothing if no change is pending.
    [[nodiscard]] std::optional<TimePoint> next_time() const;

    /// Whether a list has arrived that no snapshot was compared with.
    [[nodiscard]] bool has_pending_change() const noexcept { return show_at_.has_value(); }

    /// The last snapshot. Empty at first, never null.
    [[nodiscard]] const std::shared_ptr<const Catalogue>& current() const noexcept {
        return current_;
    }

private:
    struct Entry {
        ListedItem item;
        std::optional<TimePoint> withdraw_at;  // nothing = still listed
    };
    struct ServerList {
        ServerName server;
        std::vector<Entry> entries;
        std::shared_ptr<const std::vector<ListedItem>> shown;

        [[nodiscard]] const std::string& name() const noexcept { return server.name; }
    };

    void note_change(TimePoint now);
    [[nodiscard]] bool update_shown();
    void make_snapshot();
    bool withdraw(ServerList& list, TimePoint now);

    const CatalogueTableOptions options_;
    std::vector<ServerList> lists_;
    NameOwners owners_;
    std::shared_ptr<const Catalogue> current_;
    std::optional<TimePoint> show_at_;
};

}  // namespace holdfast::catalogue
