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
    /// How long an item stays that its downstream no longer lists, or whose downstream has gone for
    /// good: a flapping server should not make tools come and go.
    Duration withdraw_after = std::chrono::seconds{30};
    /// How long changes are gathered before they are shown, so that a storm is one change.
    Duration gather_for = std::chrono::milliseconds{50};
};

/// Keeps what every downstream lists, and makes snapshots of it. Decides only when: the caller
/// passes the time and comes back at `next_time`.
///
/// Thread-safety: none; one owner, who hands the snapshots out.
class CatalogueTable final {
public:
    /// `servers` are the configured downstreams in their order.
    CatalogueTable(const std::vector<ServerName>& servers,
                   const CatalogueTableOptions& options = {});

    /// A downstream has listed its items, or they are known from an earlier run.
    void on_list(std::string_view server, std::vector<ListedItem> items, TimePoint now);

    /// The configured downstreams have changed. Items of those that are gone are withdrawn at once;
    /// what the others listed stays. Always makes a snapshot, which is `current` afterwards.
    void set_servers(const std::vector<ServerName>& servers, TimePoint now);

    /// The snapshot to show from now on, if there is a new one. Its generation is one higher.
    [[nodiscard]] std::shared_ptr<const Catalogue> take_new(TimePoint now);

    /// When to ask for a new snapshot again; nothing = not before something is listed.
    [[nodiscard]] std::optional<TimePoint> next_time() const;

    /// The last snapshot; empty at first, never null.
    [[nodiscard]] const std::shared_ptr<const Catalogue>& current() const noexcept {
        return current_;
    }

private:
    struct Kept {
        ListedItem item;
        std::optional<TimePoint> withdraw_at;  // nothing = listed
    };
    struct Shelf {
        ServerName server;
        std::vector<Kept> kept;
        std::shared_ptr<const std::vector<ListedItem>> shown;

        [[nodiscard]] const std::string& name() const noexcept { return server.name; }
    };

    void note_change(TimePoint now);
    [[nodiscard]] bool show_shelves();
    void make_snapshot();
    bool withdraw(Shelf& shelf, TimePoint now);

    const CatalogueTableOptions options_;
    std::vector<Shelf> shelves_;
    std::shared_ptr<const Catalogue> current_;
    std::optional<TimePoint> show_at_;
};

}  // namespace holdfast::catalogue
