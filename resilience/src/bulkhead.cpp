#include "holdfast/resilience/bulkhead.hpp"

#include <algorithm>
#include <cstddef>

#include "holdfast/resilience/detail/option_check.hpp"

namespace holdfast::resilience {

Result<BulkheadOptions> validated(const BulkheadOptions& options) {
    return detail::OptionCheck{"bulkhead"}
        .at_least("max_in_flight", options.max_in_flight, 1)
        .at_most("max_in_flight", options.max_in_flight, BulkheadOptions::kMaxPlaces)
        .at_most("max_queue", options.max_queue, BulkheadOptions::kMaxPlaces)
        .not_negative("max_wait", options.max_wait)
        .result(options);
}

Bulkhead::Bulkhead(const BulkheadOptions& options, Waker* waker)
    : options_(options), waker_(waker) {
    HOLDFAST_EXPECT(validated(options).has_value());
    // A granted place keeps its node until it is claimed, and counts as in flight.
    nodes_.reserve(std::size_t{options.max_queue} + options.max_in_flight);
}

Bulkhead::~Bulkhead() {
    HOLDFAST_EXPECT(in_flight_ == 0);
    HOLDFAST_EXPECT(queued_ == 0);
}

Bulkhead::Admission Bulkhead::enter(WaiterId waiter, Deadline deadline, TimePoint now) {
    if (!must_queue()) {
        ++in_flight_;
        return Slot{*this};
    }
    if (queued_ >= options_.max_queue) {
        return Refusal{RefusalReason::queue_full, std::nullopt};
    }
    const Index index = take_node();
    nodes_[index].waiter = waiter;
    append(index);
    return Place{*this, index, deadline.tightened(now, options_.max_wait).when()};
}

void Bulkhead::reconfigure(const BulkheadOptions& options) {
    HOLDFAST_EXPECT(validated(options).has_value());
    options_ = options;
    nodes_.reserve(std::size_t{options.max_queue} + options.max_in_flight);
    grant_free_slots();
}

bool Bulkhead::must_queue() const noexcept {
    return in_flight_ >= options_.max_in_flight || queued_ > 0;
}

Bulkhead::Index Bulkhead::take_node() {
    if (free_ == kNone) {
        nodes_.emplace_back();
        return static_cast<Index>(nodes_.size() - 1);
    }
    const Index index = free_;
    free_ = nodes_[index].next;
    nodes_[index] = Node{};
    return index;
}

void Bulkhead::append(Index index) {
    nodes_[index].previous = tail_;
    (tail_ == kNone ? head_ : nodes_[tail_].next) = index;
    tail_ = index;
    ++queued_;
}

void Bulkhead::unlink(Index index) {
    const Node& node = nodes_[index];
    (node.previous == kNone ? head_ : nodes_[node.previous].next) = node.next;
    (node.next == kNone ? tail_ : nodes_[node.next].previous) = node.previous;
    --queued_;
}

void Bulkhead::free_node(Index index) {
    nodes_[index] = Node{.next = free_};
    free_ = index;
}

void Bulkhead::leave() {
    --in_flight_;
    grant_free_slots();
}

void Bulkhead::abandon(Index index) {
    const bool granted = nodes_[index].granted;
    if (!granted) {
        unlink(index);
    }
    free_node(index);
    if (granted) {
        leave();
    }
}

void Bulkhead::grant_free_slots() {
    // The waker may call back. Slots freed by that are granted by the current round, not by a
    // nested one, so a waker that gives up slot after slot does not grow the stack.
    if (granting_) {
        return;
    }
    granting_ = true;
    while (head_ != kNone && in_flight_ < options_.max_in_flight) {
        const Index index = head_;
        unlink(index);
        nodes_[index].granted = true;
        ++in_flight_;
        if (waker_ != nullptr) {
            waker_->wake(nodes_[index].waiter);
        }
    }
    granting_ = false;
}

}  // namespace holdfast::resilience
