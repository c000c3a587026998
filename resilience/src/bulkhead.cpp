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
        .not_negative("max_wait", options.max_wait.value_or(Duration::zero()))
        .result(options);
}

Bulkhead::Bulkhead(const BulkheadOptions& options, Waker* waker)
    : options_(options), waker_(waker), load_(options.max_in_flight) {
    HOLDFAST_EXPECT(validated(options).has_value());
    reserve_nodes();
}

Bulkhead::~Bulkhead() {
    HOLDFAST_EXPECT(in_flight_ == 0);
    HOLDFAST_EXPECT(queued_ == 0);
}

Bulkhead::Admission Bulkhead::enter(WaiterId waiter, Deadline deadline, TimePoint now) {
    if (!must_queue()) {
        ++in_flight_;
        if (in_flight_ >= options_.max_in_flight) {
            load_.on_full(now);
        }
        return Slot{*this};
    }
    load_.on_arrival(deadline, now);
    if (const auto refusal = refusal_of(deadline, now)) {
        return *refusal;
    }
    const Index index = take_node();
    nodes_[index].waiter = waiter;
    append(index);
    if (queued_ > options_.max_queue) {
        displace_oldest();
    }
    const Deadline until =
        options_.max_wait ? deadline.tightened(now, *options_.max_wait) : deadline;
    return Place{*this, index, until.when()};
}

std::optional<Refusal> Bulkhead::refusal_of(Deadline deadline, TimePoint now) const {
    const bool goes_first = is_newest_first();
    if (!options_.max_wait) {
        // The calls in flight count too: their end is when this one would end, be it that the
        // downstream works on all of them at a time or on one.
        const std::uint64_t before = std::uint64_t{in_flight_} + (goes_first ? 0 : queued_);
        const auto expected = load_.time_to_free(before + 1, now);
        if (expected && *expected > deadline.remaining(now)) {
            return Refusal{RefusalReason::queue_too_slow, expected};
        }
    }
    // The second condition bounds the displaced places that their waiters have not dropped yet.
    const bool may_displace = goes_first && displaced_ < options_.max_queue;
    return queued_ < options_.max_queue || may_displace
               ? std::nullopt
               : std::optional{Refusal{RefusalReason::queue_full, std::nullopt}};
}

void Bulkhead::reconfigure(const BulkheadOptions& options) {
    HOLDFAST_EXPECT(validated(options).has_value());
    if (options.max_in_flight != options_.max_in_flight) {
        load_.resize(options.max_in_flight);
    }
    options_ = options;
    reserve_nodes();
    grant_free_slots();
}

void Bulkhead::reserve_nodes() {
    // A granted or displaced place keeps its node until its waiter has noticed.
    const std::size_t queues = options_.max_wait ? 1 : 2;
    nodes_.reserve(queues * options_.max_queue + options_.max_in_flight + 1);
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

void Bulkhead::leave(std::optional<TimePoint> now) {
    const bool was_full = in_flight_ >= options_.max_in_flight;
    if (was_full) {
        load_.on_leave(now);
    }
    --in_flight_;
    grant_free_slots();
    if (was_full && in_flight_ < options_.max_in_flight) {
        load_.on_slack();
    }
}

void Bulkhead::abandon(Index index) {
    const NodeState state = nodes_[index].state;
    if (state == NodeState::waiting) {
        unlink(index);
    } else if (state == NodeState::displaced) {
        --displaced_;
    }
    free_node(index);
    if (state == NodeState::granted) {
        leave(std::nullopt);
    }
}

void Bulkhead::displace_oldest() {
    const Index index = head_;
    unlink(index);
    nodes_[index].state = NodeState::displaced;
    ++displaced_;
    wake(index);
}

void Bulkhead::wake(Index index) {
    if (waker_ != nullptr) {
        waker_->wake(nodes_[index].waiter);
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
        const Index index = is_newest_first() ? tail_ : head_;
        unlink(index);
        nodes_[index].state = NodeState::granted;
        ++in_flight_;
        wake(index);
    }
    granting_ = false;
}

}  // namespace holdfast::resilience
