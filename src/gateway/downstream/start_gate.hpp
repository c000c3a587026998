#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "downstream/start_slots.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Limits the first starts of all downstreams of a gateway; see `StartSlots`.
///
/// Thread-safety: from any thread.
class StartGate final : public std::enable_shared_from_this<StartGate> {
public:
    /// Runs on the loop of the start, once it may begin after this delay.
    using Granted = std::function<void(resilience::Duration delay)>;

    /// The position of a start in the queue, later its slot. Destroying it gives both up.
    class Place final {
    public:
        Place(std::shared_ptr<StartGate> gate, StartSlots::Ticket ticket)
            : gate_(std::move(gate)), ticket_(ticket) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        // NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
        ~Place() { gate_->leave(ticket_); }

        /// Someone waits for the start.
        void prefer() const { gate_->prefer(ticket_); }

    private:
        const std::shared_ptr<StartGate> gate_;  // shared with all downstreams
        const StartSlots::Ticket ticket_;
    };

    StartGate(const StartSlotOptions& options, std::uint64_t seed) : state_(options, seed) {}

    [[nodiscard]] std::unique_ptr<Place> join(const net::OwningLoop& loop, Granted granted);

private:
    struct Waiting {
        net::OwningLoop loop;
        Granted granted;
    };
    struct State {
        State(const StartSlotOptions& options, std::uint64_t seed) : slots(options, seed) {}

        StartSlots slots;
        std::map<StartSlots::Ticket, Waiting> waiting = {};
    };

    void prefer(StartSlots::Ticket ticket);
    void leave(StartSlots::Ticket ticket);
    void pass_on();

    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::downstream
