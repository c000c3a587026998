#include "downstream/start_slots.hpp"

#include <algorithm>

namespace holdfast::downstream {

StartSlots::StartSlots(const StartSlotOptions& options, std::uint64_t seed)
    : options_(options), random_(seed) {}

StartSlots::Ticket StartSlots::join() {
    others_.push_back(++last_);
    return last_;
}

void StartSlots::prefer(Ticket ticket) {
    if (std::erase(others_, ticket) > 0) {
        preferred_.push_back(ticket);
    }
}

void StartSlots::leave(Ticket ticket) {
    running_.erase(ticket);
    std::erase(preferred_, ticket);
    std::erase(others_, ticket);
}

std::vector<StartSlots::Grant> StartSlots::take_grants() {
    std::vector<Grant> grants;
    std::uniform_int_distribution<resilience::Duration::rep> jitter{0, options_.max_jitter.count()};
    while (running_.size() < options_.parallel_starts && waiting() > 0) {
        std::deque<Ticket>& queue = preferred_.empty() ? others_ : preferred_;
        const resilience::Duration delay{running_.empty() ? 0 : jitter(random_)};
        grants.push_back({.ticket = queue.front(), .delay = delay});
        running_.insert(queue.front());
        queue.pop_front();
    }
    return grants;
}

}  // namespace holdfast::downstream
