#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "calls/call_plan.hpp"
#include "calls/pipeline_outcome.hpp"
#include "holdfast/resilience/notifying_lock.hpp"
#include "holdfast/resilience/single_flight.hpp"

namespace holdfast::calls {

/// Lets identical reads that are in flight at the same time share one attempt. The first one leads
/// and is sent; the others follow and receive its outcome. If the leader gives up, because it is
/// cancelled or has to ask its agent, the first follower becomes the leader.
///
/// Thread-safety: from any thread.
class ReadSharing final : public std::enable_shared_from_this<ReadSharing>,
                          private resilience::Waker {
    using Outcome = std::shared_ptr<const SharedOutcome>;
    using Flights = resilience::SingleFlight<std::string, Outcome>;

public:
    using Handler = std::function<void()>;

    /// One call's part in a shared read; leaves the read when destroyed. Empty = the call shares
    /// nothing.
    ///
    /// Thread-safety: none; belongs to its call.
    class Ticket final {
    public:
        Ticket() = default;
        Ticket(Ticket&& other) noexcept;
        Ticket& operator=(Ticket&& other) noexcept;
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;
        ~Ticket();

        [[nodiscard]] bool is_empty() const noexcept { return sharing_ == nullptr; }
        /// Whether the call waits for a leader. False for an empty ticket.
        [[nodiscard]] bool is_following() const;
        /// The outcome of the leader; null until the leader has one.
        [[nodiscard]] Outcome outcome() const;
        /// Gives the outcome to the followers. Requires a ticket that is not empty and leads.
        void finish(Outcome outcome);
        void leave();

    private:
        friend class ReadSharing;

        std::shared_ptr<ReadSharing> sharing_;
        resilience::WaiterId waiter_ = 0;
        std::optional<Flights::Ticket> place_;  // guarded by the lock of `sharing_`
    };

    explicit ReadSharing(const resilience::SingleFlightOptions& options = {});

    /// Joins the read with that key, or starts it. The handler of a follower is called once, on any
    /// thread, when its leader has an outcome or has given up. Beyond the limits the ticket is
    /// empty.
    [[nodiscard]] Ticket join(const std::string& key, Handler on_change);

private:
    void wake(resilience::WaiterId waiter) override;

    resilience::NotifyingLock lock_;
    // Guarded by `lock_`:
    Flights flights_;
    std::unordered_map<resilience::WaiterId, Handler> followers_;
    resilience::WaiterId last_waiter_ = 0;
};

/// Returns a key that is equal for identical reads, or nothing if this call must not share.
[[nodiscard]] std::optional<std::string> shared_read_key(const agents::AgentRequest& origin,
                                                         const CallPlan& plan);

}  // namespace holdfast::calls
