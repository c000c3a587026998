#include "downstream/supervision/call_choice.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::downstream {
namespace {

bool is_recent(resilience::TimePoint at, resilience::TimePoint now) {
    return resilience::elapsed_between(at, now) < RecentEnds::kMemory;
}

/// Prefers calls that do not wait, then later ones.
bool is_better(const CallCandidate& one, const CallCandidate& other) {
    if (one.waits_for_agent != other.waits_for_agent) {
        return !one.waits_for_agent;
    }
    return one.id > other.id;
}

}  // namespace

void RecentEnds::add(const std::shared_ptr<const AgentIdentity>& agent, resilience::TimePoint now) {
    if (!agent) {
        return;
    }
    if (agent != latest_.agent) {
        if (latest_.agent && !are_of_one_client(agent.get(), latest_.agent.get())) {
            other_ = std::move(latest_);
        }
        latest_.agent = agent;
    }
    latest_.at = now;
}

bool RecentEnds::has_other_than(const AgentIdentity* agent, resilience::TimePoint now) const {
    const auto is_other = [&](const End& end) {
        return end.agent && is_recent(end.at, now) && !are_of_one_client(end.agent.get(), agent);
    };
    return is_other(latest_) || is_other(other_);
}

void CallChoice::add(CallCandidate call) {
    if (what_ == UnnamedMessage::question && call.waits_for_agent) {
        waiting_.push_back(std::move(call));
    } else {
        consider(std::move(call));
    }
}

void CallChoice::consider(CallCandidate call) {
    if (best_ && !are_of_one_agent(best_->agent.get(), call.agent.get())) {
        is_unclear_ = true;
    }
    if (!best_ || is_better(call, *best_)) {
        best_ = std::move(call);
    }
}

void CallChoice::merge(CallChoice other) {
    is_unclear_ = is_unclear_ || other.is_unclear_;
    if (other.best_) {
        consider(std::move(*other.best_));
    }
    std::ranges::move(other.waiting_, std::back_inserter(waiting_));
    std::ranges::move(other.ended_, std::back_inserter(ended_));
}

ChosenCall CallChoice::chosen(resilience::TimePoint now) const {
    // A tool may ask several questions at once. No other call can have caused this one.
    const bool is_only_call_waiting = !best_ && waiting_.size() == 1;
    const CallCandidate* const call = is_only_call_waiting ? &waiting_.front()
                                      : best_              ? &*best_
                                                           : nullptr;
    if (call == nullptr) {
        return {.kind = waiting_.empty() ? ChosenCall::Kind::none : ChosenCall::Kind::unclear};
    }
    const bool is_late = std::ranges::any_of(ended_, [&](const RecentEnds& ended) {
        return ended.has_other_than(call->agent.get(), now);
    });
    if (is_unclear_ || is_late) {
        return {.kind = ChosenCall::Kind::unclear};
    }
    return {.kind = ChosenCall::Kind::call, .call = *call};
}

}  // namespace holdfast::downstream
