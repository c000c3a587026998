#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/waker.hpp"

namespace holdfast::resilience {

struct SingleFlightOptions {
    std::size_t max_keys = 10'000;
    std::size_t max_followers = 1'000;  ///< For each key.

    friend bool operator==(const SingleFlightOptions&, const SingleFlightOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<SingleFlightOptions> validated(const SingleFlightOptions& options);

/// Lets identical calls in flight share one execution. The first caller of a key leads and does the
/// work; the others follow and are woken with its value. A leader that gives up hands over to the
/// first follower, which is woken as the new leader: a cancelled call never fails another. The key
/// must contain everything that makes two calls the same, including the caller's identity.
///
/// Thread-safety: none; use one lock for it and its neighbouring policies.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class SingleFlight final {
    struct Flight;

public:
    class Ticket;

    /// Requires options that pass `validated`. The waker must outlive this.
    explicit SingleFlight(Waker& waker, const SingleFlightOptions& options = {})
        : waker_(&waker), options_(options) {
        HOLDFAST_EXPECT(validated(options).has_value());
    }
    SingleFlight(const SingleFlight&) = delete;
    SingleFlight& operator=(const SingleFlight&) = delete;
    /// Requires that no ticket is outstanding: each points to this object.
    ~SingleFlight() { HOLDFAST_EXPECT(tickets_ == 0); }

    /// Joins the call in flight for this key, or starts it.
    [[nodiscard]] Result<Ticket, Refusal> join(const Key& key, WaiterId waiter) {
        const auto place = flights_.find(key);
        if (place == flights_.end() ? flights_.size() >= options_.max_keys
                                    : place->second->members.size() > options_.max_followers) {
            return Refusal{RefusalReason::key_limit_reached, std::nullopt};
        }
        std::shared_ptr<Flight> flight;
        if (place == flights_.end()) {
            flight = std::make_shared<Flight>(
                Flight{.key = key, .members = {}, .value = {}, .next_to_wake = {}});
            flights_.emplace(key, flight);
        } else {
            flight = place->second;
        }
        flight->members.push_back(waiter);
        ++tickets_;
        const auto member = std::prev(flight->members.end());
        return Ticket{*this, std::move(flight), member};
    }

    /// The number of calls in flight.
    [[nodiscard]] std::size_t size() const noexcept { return flights_.size(); }

private:
    using Member = typename std::list<WaiterId>::iterator;

    /// Shared by the tickets of one call, which may outlive its entry in the table.
    struct Flight {
        Key key;
        std::list<WaiterId> members;  // in order of arrival; the first one leads
        std::optional<Value> value;   // set when it has ended
        Member next_to_wake{};        // meaningful once it has ended
    };

    // In both functions the waker may call back and drop any ticket: the caller keeps the flight
    // alive.

    void finish(Flight& flight, Value value) {
        flight.value.emplace(std::move(value));
        flights_.erase(flight.key);
        flight.next_to_wake = std::next(flight.members.begin());
        while (flight.next_to_wake != flight.members.end()) {
            waker_->wake(*flight.next_to_wake++);
        }
    }

    void leave(Flight& flight, Member member) {
        --tickets_;
        const bool led = member == flight.members.begin();
        if (flight.value && flight.next_to_wake == member) {
            ++flight.next_to_wake;
        }
        flight.members.erase(member);
        if (flight.value) {
            return;
        }
        if (flight.members.empty()) {
            flights_.erase(flight.key);
        } else if (led) {
            waker_->wake(flight.members.front());
        }
    }

    Waker* waker_;
    SingleFlightOptions options_;
    std::size_t tickets_ = 0;
    std::unordered_map<Key, std::shared_ptr<Flight>, Hash, Equal> flights_;
};

/// One caller's part in a shared call. Move-only; leaves when destroyed.
///
/// Thread-safety: that of its SingleFlight.
template <class Key, class Value, class Hash, class Equal>
class [[nodiscard]] SingleFlight<Key, Value, Hash, Equal>::Ticket final {
public:
    Ticket(Ticket&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          flight_(std::move(other.flight_)),
          member_(other.member_) {}
    Ticket& operator=(Ticket&& other) noexcept {
        if (this != &other) {
            leave();
            owner_ = std::exchange(other.owner_, nullptr);
            flight_ = std::move(other.flight_);
            member_ = other.member_;
        }
        return *this;
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    ~Ticket() { leave(); }

    /// Returns whether this caller has to do the work. A follower that is woken without a value has
    /// become the leader.
    [[nodiscard]] bool is_leader() const {
        HOLDFAST_EXPECT(owner_ != nullptr);
        return !flight_->value && member_ == flight_->members.begin();
    }

    /// Returns the leader's value, or null if there is none yet.
    [[nodiscard]] const Value* value() const {
        HOLDFAST_EXPECT(owner_ != nullptr);
        return flight_->value ? &*flight_->value : nullptr;
    }

    /// Ends the call for all followers. Requires `is_leader`.
    void finish(Value value) {
        HOLDFAST_EXPECT(is_leader());
        const std::shared_ptr<Flight> flight = flight_;
        owner_->finish(*flight, std::move(value));
    }

    void leave() {
        if (auto* owner = std::exchange(owner_, nullptr)) {
            const std::shared_ptr<Flight> flight = std::move(flight_);
            owner->leave(*flight, member_);
        }
    }

private:
    friend class SingleFlight;
    Ticket(SingleFlight& owner, std::shared_ptr<Flight> flight, Member member) noexcept
        : owner_(&owner), flight_(std::move(flight)), member_(member) {}

    SingleFlight* owner_;
    std::shared_ptr<Flight> flight_;
    Member member_;
};

}  // namespace holdfast::resilience
