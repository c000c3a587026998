#include "telemetry/event_feed.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::telemetry {

EventFeed::EventFeed(const EventFeedOptions& options)
    : options_(options),
      listeners_(std::make_shared<resilience::Synchronized<Listeners>>(Listeners{})) {}

EventFeed::Item EventFeed::add(record::Event event) {
    auto numbered = std::make_shared<NumberedEvent>();
    numbered->event = std::move(event);
    const Item item = numbered;
    Item pushed_out;  // freed without the lock
    ring_.with([&](Ring& ring) {
        numbered->number = ++ring.last;
        ring.events.push_back(item);
        if (ring.events.size() > options_.max_events) {
            pushed_out = std::move(ring.events.front());
            ring.events.pop_front();
        }
    });
    const auto wakes = listeners_->with([](const Listeners& listeners) {
        std::vector<std::shared_ptr<const Wake>> all;
        all.reserve(listeners.wakes.size());
        std::ranges::transform(listeners.wakes, std::back_inserter(all),
                               [](const auto& entry) { return entry.second; });
        return all;
    });
    for (const auto& wake : wakes) {
        (*wake)();
    }
    return item;
}

std::vector<EventFeed::Item> EventFeed::after(std::uint64_t number, std::size_t limit) const {
    return ring_.with([&](const Ring& ring) {
        // The numbers have no gaps, so the position of an event follows from its number.
        const std::uint64_t kept = ring.events.size();
        // A number above the last one is from an earlier run: all events are new to its reader.
        const std::uint64_t newer = number > ring.last ? ring.last : ring.last - number;
        const auto first = static_cast<std::ptrdiff_t>(kept - std::min(kept, newer));
        const auto begin = ring.events.begin() + first;
        const auto count = std::min<std::uint64_t>(kept - static_cast<std::uint64_t>(first), limit);
        return std::vector<Item>{begin, begin + static_cast<std::ptrdiff_t>(count)};
    });
}

std::uint64_t EventFeed::last() const {
    return ring_.with([](const Ring& ring) { return ring.last; });
}

std::unique_ptr<EventFeed::Subscription> EventFeed::subscribe(Wake wake) {
    auto shared = std::make_shared<const Wake>(std::move(wake));
    const auto id = listeners_->with([&](Listeners& listeners) -> std::uint64_t {
        if (listeners.wakes.size() >= options_.max_listeners) {
            return 0;
        }
        listeners.wakes.emplace(++listeners.next_id, std::move(shared));
        return listeners.next_id;
    });
    return id == 0 ? nullptr : std::make_unique<Subscription>(listeners_, id);
}

EventFeed::Subscription::Subscription(SharedListeners listeners, std::uint64_t id)
    : listeners_(std::move(listeners)), id_(id) {}

EventFeed::Subscription::~Subscription() {
    // Destroyed outside the lock, because the wake may own anything.
    const auto node =
        listeners_->with([this](Listeners& listeners) { return listeners.wakes.extract(id_); });
}

}  // namespace holdfast::telemetry
