#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/expect.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/waker.hpp"

namespace holdfast::resilience {

struct BulkheadOptions {
    std::uint32_t max_in_flight = 32;
    std::uint32_t max_queue = 64;  ///< 0 = refuse at once when every slot is taken.
    Duration max_wait = std::chrono::seconds{5};

    static constexpr std::uint32_t kMaxPlaces = 1'000'000;

    friend bool operator==(const BulkheadOptions&, const BulkheadOptions&) = default;
};

/// The options as they are, or a sentence that names the one to change.
[[nodiscard]] Result<BulkheadOptions> validated(const BulkheadOptions& options);

/// Bounds how many calls are in flight, with a bounded queue served in order of arrival. A call
/// gets a `Slot`, or a `Place` in the queue, or is refused. A waiter whose place is granted is
/// woken and claims its slot; one that gives up just drops its place, and a slot that was already
/// granted to it goes to the next. Nothing is allocated after construction and `reconfigure`.
///
/// Thread-safety: none; guard it with the lock of the policies beside it.
class Bulkhead final {
public:
    class Slot;
    class Place;
    using Admission = std::variant<Slot, Place, Refusal>;

    /// Requires options that pass `validated`. The waker must outlive the bulkhead; it may be null
    /// when `max_queue` is 0 or the waiters poll.
    explicit Bulkhead(const BulkheadOptions& options = {}, Waker* waker = nullptr);
    Bulkhead(const Bulkhead&) = delete;
    Bulkhead& operator=(const Bulkhead&) = delete;
    /// Requires that no slot and no place is outstanding: each points here.
    ~Bulkhead();

    /// Waits in the queue at most `max_wait` and not beyond `deadline`; the caller keeps that time.
    [[nodiscard]] Admission enter(WaiterId waiter, Deadline deadline, TimePoint now);

    /// Takes new figures. Slots and places stay; a larger bulkhead wakes waiters at once, a smaller
    /// one admits nobody until enough have left. Requires options that pass `validated`.
    void reconfigure(const BulkheadOptions& options);

    [[nodiscard]] std::uint32_t in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] std::uint32_t queued() const noexcept { return queued_; }
    [[nodiscard]] const BulkheadOptions& options() const noexcept { return options_; }

private:
    using Index = std::uint32_t;
    static constexpr Index kNone = 0xffff'ffff;

    /// A place in the queue, linked to its neighbours; granted places are in no list.
    struct Node {
        WaiterId waiter = 0;
        Index previous = kNone;
        Index next = kNone;
        bool granted = false;
    };

    [[nodiscard]] bool must_queue() const noexcept;
    [[nodiscard]] Index take_node();
    void append(Index index);
    void unlink(Index index);
    void free_node(Index index);
    void leave();
    void abandon(Index index);
    void grant_free_slots();

    BulkheadOptions options_;
    Waker* waker_;
    std::uint32_t in_flight_ = 0;  // slots, and places that were granted one
    std::uint32_t queued_ = 0;
    bool granting_ = false;
    Index head_ = kNone;
    Index tail_ = kNone;
    Index free_ = kNone;
    std::vector<Node> nodes_;
};

/// One call in flight. Move-only; leaves when destroyed.
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

    void leave() {
        if (auto* bulkhead = std::exchange(bulkhead_, nullptr)) {
            bulkhead->leave();
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

    /// Whether a slot has been set aside for this waiter.
    [[nodiscard]] bool is_granted() const {
        HOLDFAST_EXPECT(bulkhead_ != nullptr);
        return bulkhead_->nodes_[index_].granted;
    }

    /// Turns a granted place into its slot. Requires `is_granted`.
    [[nodiscard]] Slot claim() {
        HOLDFAST_EXPECT(is_granted());
        auto* bulkhead = std::exchange(bulkhead_, nullptr);
        bulkhead->free_node(index_);
        return Slot{*bulkhead};
    }

    /// When the wait is over.
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
