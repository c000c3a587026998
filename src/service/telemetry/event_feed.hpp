#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "record/event.hpp"

namespace holdfast::telemetry {

struct EventFeedOptions {
    std::size_t max_events = 5'000;
    std::size_t max_listeners = 100;
};

struct NumberedEvent {
    std::uint64_t number = 0;  ///< Rises by one from 1.
    record::Event event = {};
};

/// The last events, numbered, for clients that poll and for clients that follow.
///
/// Thread-safety: from any thread.
class EventFeed final {
public:
    using Item = std::shared_ptr<const NumberedEvent>;
    using Wake = std::function<void()>;

    /// Ends with the object. A wake that is running at that moment may still arrive, so it must not
    /// own what it needs: it should post to a weak pointer.
    class [[nodiscard]] Subscription;

    explicit EventFeed(const EventFeedOptions& options = {});

    /// Returns the event with its number.
    Item add(record::Event event);
    /// Returns the events with a higher number, oldest first, at most `limit`. If the oldest is not
    /// `number` + 1, the events in between have been dropped.
    [[nodiscard]] std::vector<Item> after(std::uint64_t number, std::size_t limit) const;
    /// The number of the newest event; zero before the first.
    [[nodiscard]] std::uint64_t last() const;

    /// `wake` is called after each event, on the thread that added it, with no lock held. It must
    /// be quick and must not block. Returns null if there are too many listeners. May outlive the
    /// feed.
    [[nodiscard]] std::unique_ptr<Subscription> subscribe(Wake wake);

private:
    using Wakes = std::map<std::uint64_t, std::shared_ptr<const Wake>>;
    struct Listeners {
        std::uint64_t next_id = 0;
        Wakes wakes = {};
    };
    using SharedListeners = std::shared_ptr<resilience::Synchronized<Listeners>>;
    struct Ring {
        std::uint64_t last = 0;
        std::deque<Item> events = {};
    };

    const EventFeedOptions options_;
    resilience::Synchronized<Ring> ring_;
    const SharedListeners listeners_;  // shared with the subscriptions, which may outlive the feed
};

class [[nodiscard]] EventFeed::Subscription final {
public:
    Subscription(SharedListeners listeners, std::uint64_t id);
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription();

private:
    const SharedListeners listeners_;
    const std::uint64_t id_;
};

}  // namespace holdfast::telemetry
