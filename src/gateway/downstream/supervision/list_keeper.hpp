#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "downstream/downstream_options.hpp"
#include "downstream/link.hpp"
#include "downstream/listing.hpp"
#include "downstream/supervision/list_schedule.hpp"
#include "downstream/supervision/server_capabilities.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// The receiver of the lists.
struct ListReader {
    std::function<void(Listing)> on_listed = {};
    /// The list could not be read; it will be requested again.
    std::function<void(ListKind, const CallFault&)> on_failed = {};
    /// A list has changed. Called after the new list was read, or after reading it failed.
    std::function<void(Notification)> on_changed = {};
    /// Returns the number of calls so far.
    std::function<std::uint64_t()> calls = {};
};

/// Keeps the lists of one link up to date. It reads those that the downstream offers, and reads
/// them again when the downstream announces a change, when a read failed, or when a modern
/// downstream without change notifications declares them expired. A failed read never removes known
/// entries.
///
/// Thread-safety: none; belongs to the home loop.
class ListKeeper final : public std::enable_shared_from_this<ListKeeper> {
public:
    ListKeeper(net::OwningLoop home, std::shared_ptr<Link> link, const DownstreamOptions& options,
               ListReader reader);

    /// Reads all lists concurrently. Call once.
    void start();
    /// The downstream announces a changed list. Returns false if no kept list is concerned.
    [[nodiscard]] bool on_notification(const Notification& notification);
    /// The number of lists that were never read.
    [[nodiscard]] std::size_t unread() const;
    /// The link has ended. Stops all notifications.
    void stop();

private:
    static constexpr std::size_t kKinds = 4;

    struct Part {
        Part(ListKind part_kind, const DownstreamOptions& options,
             resilience::Timekeeper& timekeeper);

        const ListKind kind;
        ListSchedule schedule;
        resilience::OneShot wake;
        boost::asio::cancellation_signal cancel;
        bool is_read = false;
        std::uint64_t calls_when_listed = 0;
        std::optional<resilience::Duration> lives_for;  // as declared by the last listing
    };

    using ListedPages = resilience::Result<Listing, CallFault>;

    static boost::asio::awaitable<void> keep(std::shared_ptr<ListKeeper> self, Part& part);
    static boost::asio::awaitable<ListedPages> read_list(std::shared_ptr<ListKeeper> self,
                                                         ListKind kind);
    [[nodiscard]] bool must_list(Part& part) const;
    void deliver(Part& part, ListedPages result);
    void tell_change_if_settled(ListKind kind);
    [[nodiscard]] std::optional<resilience::Duration> life_of(const Listing& listing) const;
    [[nodiscard]] Part& part_of(ListKind kind) {
        return *parts_.at(static_cast<std::size_t>(kind));
    }

    const net::OwningLoop home_;
    const std::shared_ptr<Link> link_;  // shared with those who call on it
    const DownstreamOptions options_;
    const ListReader reader_;
    const ServerCapabilities capabilities_;
    std::array<std::unique_ptr<Part>, kKinds> parts_;  // null = not offered
    /// Changes that have not been reported yet; one per kind of notification.
    std::array<std::optional<Notification>, kKinds> untold_;
    bool is_stopped_ = false;
};

}  // namespace holdfast::downstream
