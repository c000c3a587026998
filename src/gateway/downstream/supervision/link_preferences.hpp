#pragma once

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "downstream/link.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Sends preferences to one link, and only the differences to the previous ones. Keeps the order: a
/// subscription that follows a log level is made once that level is set.
///
/// Thread-safety: none; belongs to the home loop.
class LinkPreferences final : public std::enable_shared_from_this<LinkPreferences> {
public:
    /// `wait` limits how long the downstream may take to accept a log level.
    LinkPreferences(net::OwningLoop home, std::shared_ptr<Link> link, resilience::Duration wait);

    /// An empty level requests none; a level requested earlier stays.
    void apply(Interests interests, std::string level);

private:
    struct Preference {
        Interests interests;
        std::string level;
    };

    static boost::asio::awaitable<void> send_preferences(std::shared_ptr<LinkPreferences> self);
    [[nodiscard]] bool needs_level(const Preference& preference) const;
    void set_interests(Interests interests);

    const net::OwningLoop home_;
    const std::shared_ptr<Link> link_;  // shared with those who call on it
    const resilience::Duration wait_;
    const bool takes_levels_;
    std::optional<Interests> interests_;
    std::string level_;
    std::deque<Preference> waiting_;
    bool is_sending_ = false;
};

}  // namespace holdfast::downstream
