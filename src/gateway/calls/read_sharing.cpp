#include "calls/read_sharing.hpp"

#include <utility>

namespace holdfast::calls {

ReadSharing::Ticket::Ticket(Ticket&& other) noexcept
    : sharing_(std::move(other.sharing_)),
      waiter_(other.waiter_),
      place_(std::exchange(other.place_, std::nullopt)) {}

ReadSharing::Ticket& ReadSharing::Ticket::operator=(Ticket&& other) noexcept {
    if (this != &other) {
        leave();
        sharing_ = std::move(other.sharing_);
        waiter_ = other.waiter_;
        place_ = std::exchange(other.place_, std::nullopt);
    }
    return *this;
}

ReadSharing::Ticket::~Ticket() {
    leave();
}

bool ReadSharing::Ticket::is_following() const {
    return sharing_ && sharing_->lock_.with([this] { return !place_->is_leader(); });
}

ReadSharing::Outcome ReadSharing::Ticket::outcome() const {
    if (!sharing_) {
        return nullptr;
    }
    return sharing_->lock_.with([this] {
        const Outcome* const value = place_->value();
        return value != nullptr ? *value : nullptr;
    });
}

void ReadSharing::Ticket::finish(Outcome outcome) {
    sharing_->lock_.with([&] { place_->finish(std::move(outcome)); });
    leave();
}

void ReadSharing::Ticket::leave() {
    const auto sharing = std::exchange(sharing_, nullptr);
    if (!sharing) {
        return;
    }
    // The handler owns a call, so it is destroyed after unlocking.
    Handler dropped;
    sharing->lock_.with([&] {
        place_.reset();
        if (auto follower = sharing->followers_.extract(waiter_)) {
            dropped = std::move(follower.mapped());
        }
    });
}

ReadSharing::ReadSharing(const resilience::SingleFlightOptions& options)
    : lock_(nullptr, this), flights_(*lock_.waker(), options) {}

ReadSharing::Ticket ReadSharing::join(const std::string& key, Handler on_change) {
    Ticket ticket;
    lock_.with([&] {
        auto place = flights_.join(key, ++last_waiter_);
        if (!place) {
            return;
        }
        ticket.sharing_ = shared_from_this();
        ticket.waiter_ = last_waiter_;
        ticket.place_ = std::move(place).value();
        if (!ticket.place_->is_leader()) {
            followers_.emplace(ticket.waiter_, std::move(on_change));
        }
    });
    return ticket;
}

void ReadSharing::wake(resilience::WaiterId waiter) {
    const Handler on_change = lock_.with([&]() -> Handler {
        auto follower = followers_.extract(waiter);
        return follower ? std::move(follower.mapped()) : Handler{};
    });
    if (on_change) {
        on_change();
    }
}

std::optional<std::string> shared_read_key(const agents::AgentRequest& origin,
                                           const CallPlan& plan) {
    const policy::Policy& policy = plan.rules->policy();
    if (!policy.shares_reads || !plan.is_read || !plan.is_tool_call() ||
        !origin.progress_token.empty()) {
        return std::nullopt;
    }
    // Calls with different timeouts must not share one attempt.
    return std::to_string(policy.timeout.count()) + '\0' + identity_of_call(origin, plan);
}

}  // namespace holdfast::calls
