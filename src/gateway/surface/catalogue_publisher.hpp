#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/catalogue_table.hpp"
#include "downstream/downstream.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"
#include "surface/callable.hpp"
#include "surface/surface.hpp"

namespace holdfast::surface {

/// The lists whose changes agents are notified of.
using ChangedLists = std::array<bool, kListKinds>;

/// One list of one server.
using ServerList = std::pair<std::string, ListKind>;

struct Publication {
    std::shared_ptr<const Surface> surface = nullptr;  ///< Null = unchanged.
    ChangedLists changed = {};
    std::set<ServerList> shown = {};  ///< The new lists that are on the surface now.
};

/// Stores the lists of the downstreams and publishes a new surface when one changes. Changes in
/// quick succession are published together.
///
/// Thread-safety: `on_listed` and `on_announced` from any loop; all else on the home loop.
class CataloguePublisher final : public std::enable_shared_from_this<CataloguePublisher> {
public:
    using Publish = std::function<void(Publication)>;
    /// Lists have arrived that equal the shown ones, so nothing is published for them.
    using Repeated = std::function<void(const std::set<ServerList>&)>;

    CataloguePublisher(net::OwningLoop home, std::shared_ptr<const std::vector<Server>> servers,
                       const catalogue::CatalogueTableOptions& options, Publish publish,
                       SurfaceContext terms = {}, Repeated on_repeated = {});
    ~CataloguePublisher();
    CataloguePublisher(const CataloguePublisher&) = delete;
    CataloguePublisher& operator=(const CataloguePublisher&) = delete;

    /// A downstream has sent a list, or the list is known from an earlier run.
    void on_listed(const std::string& server, downstream::Listing listing);
    /// A downstream announces a changed list. Agents are notified even if nothing differs.
    void on_announced(ListKind kind);
    /// Publishes the lists of an earlier run at once. `starting` are the servers without such
    /// lists. For the start: must be called on the home loop, or before it runs.
    void begin_with(std::vector<std::pair<std::string, downstream::Listing>> known,
                    std::set<std::string> starting = {});
    /// A server will not list its tools for now. The mode of the surface may change.
    void on_unlisted(const std::string& server);
    /// Replaces the servers at once. Servers that stay keep their lists. Must be called on the home
    /// loop.
    void set_servers(std::shared_ptr<const std::vector<Server>> servers);

private:
    class DebounceTimer final : public resilience::Timer {
    public:
        explicit DebounceTimer(CataloguePublisher& publisher) : publisher_(publisher) {}
        void on_time() override { publisher_.publish_changes(); }

    private:
        CataloguePublisher& publisher_;
    };

    void note(const std::string& server, downstream::Listing listing);
    void publish_changes();
    void schedule_next();
    [[nodiscard]] std::shared_ptr<const Surface> next_surface();
    void note_uri_owners();
    /// Removes and returns the lists of these kinds that have arrived and are not shown yet.
    [[nodiscard]] std::set<ServerList> take_unshown(const ChangedLists& kinds);
    void drop_starting(const std::set<ServerList>& shown);
    [[nodiscard]] Catalogues current() const;
    [[nodiscard]] std::array<CacheHint, kListKinds> merged_hints() const;

    const net::OwningLoop home_;
    std::shared_ptr<const std::vector<Server>> servers_;
    const catalogue::CatalogueTableOptions options_;
    const Publish publish_;
    const Repeated on_repeated_;  // may be empty
    SurfaceContext terms_;
    std::vector<catalogue::CatalogueTable> tables_;                   // by kind
    std::array<std::map<std::string, CacheHint>, kListKinds> hints_;  // by server
    std::set<ServerList> unshown_;                                    // since the last surface
    std::set<std::string> starting_;                                  // tools not known yet
    SurfaceMode mode_ = SurfaceMode::all;                             // of the last surface
    ChangedLists announced_ = {};
    std::optional<resilience::TimePoint> announce_at_;
    std::uint64_t generation_ = 0;
    DebounceTimer timer_{*this};
};

}  // namespace holdfast::surface
