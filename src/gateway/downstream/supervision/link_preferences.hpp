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

/// Tells one link what is wanted of it besides calls, and only what differs from before. In order:
/// a subscription that follows a log level is made when that level holds.
///
/// Thread-safety: none; belongs to the home loop.
class LinkPreferences final : public std::enable_shared_from_this<LinkPreferences> {
public:
    /// `wait` is how long the downstream may take to accept a log level.
    LinkPreferences(net::OwningLoop home, std::shared_ptr<Link> link, resilience::Duration wait);

    /// An empty level asks for none; one that has been asked for before stays.
    void apply(Interests interests, std::string level);

private:
    struct Wish {
        Interests interests;
        std::string level;
    };

    static boost::asio::awaitable<void> send_wishes(std::shared_ptr<LinkPreferences> self);
    [[nodiscard]] bool needs_level(const Wish& wish) const;
    void set_interests(Interests interests);

    const net::OwningLoop home_;
    const std::shared_ptr<Link> link_;  // shared with those who call on it
    const resilience::Duration wait_;
    const bool takes_levels_;
    std::optional<Interests> interests_;
    std::string level_;
    std::deque<Wish> waiting_;
    bool is_sending_ = false;
};

}  // namespace holdfast::downstream
