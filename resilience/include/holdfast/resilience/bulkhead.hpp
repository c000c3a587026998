#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/expect.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/queue_load.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/waker.hpp"

namespace holdfast::resilience {

struct BulkheadOptions {
    std::uint32_t max_in_flight = 32;
    std::uint32_t max_queue = 64;  ///< 0 = refuse immediately if every slot is taken.
    /// Nothing = until the deadline of the call. A call whose turn is expected after its deadline
    /// is then refused immediately, and in lasting overload the newest call goes first.
    std::optional<Duration> max_wait = std::chrono::seconds{5};

    static constexpr std::uint32_t kMaxPlaces = 1'000'000;

    friend bool operator==(const BulkheadOptions&, const BulkheadOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<BulkheadOptions> validated(const BulkheadOptions& options);

/// Limits the number of calls in flight, with a bounded queue in order of arrival. A call gets a
/// `Slot`, or a `Place` in the queue, or is refused. A waiter whose place is granted is woken and
/// claims its slot. A waiter that gives up drops its place; a slot that was already granted to it
/// is passed to the next waiter. Allocates only in the constructor and in `reconfigure`.
///
/// Calls that may wait until their deadline (`max_wait`) have two more rules. While the rate at
/// which slots become free is known, a call is refused immediately if all calls before it would
/// take longer than its deadline allows; the refusal has that time. While calls keep arriving
/// faster than they leave (`QueueLoad::is_overloaded`), the newest goes first: those that have
/// waited longest are the least likely to end in time. It then takes the place of the oldest if the
/// queue is full.
///
/// Thread-safety: none; use one lock for it and its neighbouring policies.
class Bulkhead final {
public:
    class Slot;
    class Place;
    using Admission = std::variant<Slot, Place, Refusal>;

    /// Requires options that pass `validated`. The waker must outlive the bulkhead; it may be null
    /// if `max_queue` is 0 or the waiters poll.
    explicit Bulkhead(const BulkheadOptions& options = {}, Waker* waker = nullptr);
    Bulkhead(const Bulkhead&) = delete;
    Bulkhead& operator=(const Bulkhead&) = delete;
    /// Requires that no slot and no place is outstanding: each points to the bulkhead.
    ~Bulkhead();

    /// A place in the queue is valid for at most `max_wait` and not beyond `deadline`; the caller
    /// enforces that time. A place that is displaced is woken too.
    [[nodiscard]] Admission enter(WaiterId waiter, Deadline deadline, TimePoint now);

    /// Changes the options. Slots and places stay valid. A larger bulkhead wakes waiters
    /// immediately, a smaller one admits no call until enough have left. Requires options that pass
    /// `validated`.
    void reconfigure(const BulkheadOptions& options);

    [[nodiscard]] std::uint32_t in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] std::uint32_t queued() const noexcept { return queued_; }
    [[nodiscard]] const BulkheadOptions& options() const noexcept { return options_; }

private:
    using Index = std::uint32_t;
    static constexpr Index kNone = 0xffff'ffff;

    enum class NodeState : std::uint8_t { waiting, granted, displaced };

    /// A place in the queue, linked to its neighbours. Only waiting places are in the list.
    struct Node {
        WaiterId waiter = 0;
        Index previous = kNone;
        Index next = kNone;
        NodeState state = NodeState::waiting;
    };

    [[nodiscard]] bool must_queue() const noexcept;
    [[nodiscard]] bool is_newest_first() const noexcept {
        return !options_.max_wait && load_.is_overloaded();
    }
    [[nodiscard]] std::optional<Refusal> refusal_of(Deadline deadline, TimePoint now) const;
    void reserve_nodes();
    void displace_oldest();
    void wake(Index index);
    [[nodiscard]] Index take_node();
    void append(Index index);
    void unlink(Index index);
    void free_node(Index index);
    void leave(std::optional<TimePoint> now);
    void abandon(Index index);
    void grant_free_slots();

    BulkheadOptions options_;
    Waker* waker_;
    std::uint32_t in_flight_ = 0;  // slots, and places that have been granted one
    std::uint32_t queued_ = 0;
    std::uint32_t displaced_ = 0;  // places that their waiters have not dropped yet
    bool granting_ = false;
    QueueLoad load_;
    Index head_ = kNone;
    Index tail_ = kNone;
    Index free_ = kNone;
    std::vector<Node> nodes_;
};

/// One call in flight. Move-only; frees the slot when destroyed.
///
/// Thread-safety: that of its bulkhead.
class [[nodiscard]] Bulkhead::Slot final {
public:
    Slot(Slot&& other) noexcept : bulkhead_(std::exchange(other.bulkhead_, nullptr)) {}
    Slot& operator=(Slot&& other) noexcept {
        if (this != &other) {
            leave();
            bulkhead_ = std::exchange(other.bulkhead_, nullptr);
        }
        return *this;
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { leave(); }

    /// Pass the time at the end of a call. Without it, as in the destructor, the bulkhead does not
    /// learn from the call how fast slots become free.
    void leave(std::optional<TimePoint> now = std::nullopt) {
        if (auto* bulkhead = std::exchange(bulkhead_, nullptr)) {
            bulkhead->leave(now);
        }
    }

private:
    friend class Bulkhead;
    explicit Slot(Bulkhead& bulkhead) noexcept : bulkhead_(&bulkhead) {}

    Bulkhead* bulkhead_;
};

/// One waiter in the queue. Move-only; leaves the queue when destroyed.
///
/// Thread-safety: that of its bulkhead.
class [[nodiscard]] Bulkhead::Place final {
public:
    Place(Place&& other) noexcept
        : bulkhead_(std::exchange(other.bulkhead_, nullptr)),
          index_(other.index_),
          until_(other.until_) {}
    Place& operator=(Place&& other) noexcept {
        if (this != &other) {
            abandon();
            bulkhead_ = std::exchange(other.bulkhead_, nullptr);
            index_ = other.index_;
            until_ = other.until_;
        }
        return *this;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { abandon(); }

    /// Returns whether a slot is reserved for this waiter.
    [[nodiscard]] bool is_granted() const {
        HOLDFAST_EXPECT(bulkhead_ != nullptr);
        return bulkhead_->nodes_[index_].state == NodeState::granted;
    }
    /// Returns whether a newer call has taken this place. It will never be granted.
    [[nodiscard]] bool is_displaced() const {
        HOLDFAST_EXPECT(bulkhead_ != nullptr);
        return bulkhead_->nodes_[index_].state == NodeState::displaced;
    }

    /// Turns a granted place into its slot. Requires `is_granted`.
    [[nodiscard]] Slot claim() {
        HOLDFAST_EXPECT(is_granted());
        auto* bulkhead = std::exchange(bulkhead_, nullptr);
        bulkhead->free_node(index_);
        return Slot{*bulkhead};
    }

    /// When the wait ends.
    [[nodiscard]] TimePoint until() const noexcept { return until_; }

    void abandon() {
        if (auto* bulkhead = std::exchange(bulkhead_, nullptr)) {
            bulkhead->abandon(index_);
        }
    }

private:
    friend class Bulkhead;
    Place(Bulkhead& bulkhead, Index index, TimePoint until) noexcept
        : bulkhead_(&bulkhead), index_(index), until_(until) {}

    Bulkhead* bulkhead_;
    Index index_;
    TimePoint until_;
};

}  // namespace holdfast::resilience
