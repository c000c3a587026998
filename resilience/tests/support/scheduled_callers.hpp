// Several callers share the policies of one downstream, in virtual time and by a seed. Every caller
// is a shell around a `PipelineCall`: it performs each step at its instant or a little later; it
// may be woken too early, and may cancel or destroy its call at any point. The downstream answers,
// fails, is slow or hangs, and an operator may change figures and modes.
//
// The world stores in `CallSeen` what a shell can know of each call. Watchers look at the world
// after every operation, and whenever time has advanced.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "holdfast/resilience/pipeline.hpp"
#include "support/owned_parts.hpp"
#include "support/random_setup.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience::testing {

/// A permit as an observer can know it.
struct PermitSeen {
    std::uint64_t generation;
    bool is_probe;
    TimePoint acquired_at;
    TimePoint lease_end;
};

/// A call as its shell can know it.
struct CallSeen {
    enum class Phase { none, queued, waiting, attempting };

    std::uint64_t id = 0;
    const PipelinePolicy* policy = nullptr;
    CallTraits traits = {};
    TimePoint started_at = {};
    Deadline deadline = Deadline::never();
    Phase phase = Phase::none;
    std::uint32_t attempts = 0;
    bool side_effects_possible = false;
    bool cancelled = false;
    std::optional<AttemptEnd> last_end = std::nullopt;
    std::optional<PermitSeen> permit = std::nullopt;
};

enum class Health { mixed, good, dead };

class ScheduledCallers;

/// Notified of everything that happens in the watched `world`.
class Watcher {
public:
    virtual ~Watcher() = default;

    /// Called after every operation, and after time has advanced.
    virtual void on_look(const ScheduledCallers& /*world*/) {}
    virtual void on_start(const ScheduledCallers& /*world*/, const CallSeen& /*call*/) {}
    virtual void on_attempt(const ScheduledCallers& /*world*/, const CallSeen& /*call*/,
                            const StartAttempt& /*attempt*/) {}
    virtual void before_attempt_end(const ScheduledCallers& /*world*/, const CallSeen& /*call*/,
                                    const AttemptEnd& /*end*/) {}
    virtual void after_attempt_end(const ScheduledCallers& /*world*/, const CallSeen& /*call*/) {}
    virtual void on_retry_wait(const ScheduledCallers& /*world*/, const CallSeen& /*call*/,
                               const WaitBeforeRetry& /*wait*/) {}
    virtual void on_queue(const ScheduledCallers& /*world*/, const CallSeen& /*call*/) {}
    virtual void on_wake(const ScheduledCallers& /*world*/, WaiterId /*waiter*/) {}
    /// The call has ended; `call` is its state just before. No verdict if it was destroyed.
    virtual void on_end(const ScheduledCallers& /*world*/, const CallSeen& /*call*/,
                        const std::optional<CallVerdict>& /*verdict*/) {}
};

class ScheduledCallers final : private Waker {
public:
    /// The maximum delay of anything after its instant.
    static constexpr Duration kQuantum = std::chrono::milliseconds{20};

    struct Rules {
        bool operator_changes = false;
        bool cancels = true;
        Health health = Health::mixed;
    };

    ScheduledCallers(std::mt19937_64& random, const Rules& set_rules,
                     std::vector<Watcher*> watchers)
        : ScheduledCallers(random, set_rules, std::move(watchers), random_setup(random)) {}

    ScheduledCallers(std::mt19937_64& random, const Rules& set_rules,
                     std::vector<Watcher*> watchers, const PipelineSetup& setup)
        : rules(set_rules), world(setup, this), random_(random), watchers_(std::move(watchers)) {
        const auto count = random_between<std::size_t>(random, 3, 12);
        callers_.resize(count);
        for (std::size_t index = 0; index < count; ++index) {
            callers_[index].policy.emplace(random_pipeline_options(random));
            callers_[index].due = now_ + random_duration(random, 0s, 1s);
            callers_[index].seen.traits.waiter = index;
        }
    }
    ~ScheduledCallers() override { callers_.clear(); }

    /// Performs the next event, `count` times.
    void run(std::uint32_t count) {
        for (std::uint32_t index = 0; index < count && !::testing::Test::HasFailure(); ++index) {
            step();
        }
    }

    /// Runs until the predicate holds; returns false if it does not within `limit`.
    template <class Predicate>
    [[nodiscard]] bool run_until(Predicate&& predicate, Duration limit) {
        const TimePoint end = now_ + limit;
        while (!predicate()) {
            if (now_ >= end || ::testing::Test::HasFailure()) {
                return false;
            }
            step();
        }
        return true;
    }

    /// Starts no new calls and runs until every call has ended. No call may exceed its deadline.
    void drain() {
        draining_ = true;
        EXPECT_TRUE(run_until([this] { return in_flight() == 0; }, 1h)) << "a call never ends";
    }

    [[nodiscard]] TimePoint now() const { return now_; }
    [[nodiscard]] std::uint64_t calls_started() const { return next_id_; }
    [[nodiscard]] CircuitStatus circuit_status() const { return world.circuit->status(now_); }

    template <class Visit>
    void for_each_call(Visit&& visit) const {
        for (const Caller& caller : callers_) {
            if (caller.active) {
                visit(caller.seen);
            }
        }
    }

    template <class Predicate>
    [[nodiscard]] std::uint32_t count_calls(Predicate&& predicate) const {
        std::uint32_t count = 0;
        for_each_call([&](const CallSeen& call) { count += predicate(call) ? 1 : 0; });
        return count;
    }
    [[nodiscard]] std::uint32_t in_flight() const {
        return count_calls([](const CallSeen&) { return true; });
    }

    Rules rules;
    OwnedParts world;

private:
    using Phase = CallSeen::Phase;

    struct Caller {
        std::optional<PipelinePolicy> policy;
        std::optional<PipelineCall> call;  // stays after its verdict, and must hold nothing then
        bool active = false;
        CallSeen seen;
        TimePoint due;  // when to start, resume or end the attempt
        TimePoint cancel_at = TimePoint::max();
        TimePoint wait_until = TimePoint::max();  // as given, however early it resumes
        AttemptEnd planned_end;
    };

    void step() {
        Caller* next = nullptr;
        const std::size_t offset = random_between<std::size_t>(random_, 0, callers_.size() - 1);
        for (std::size_t index = 0; index < callers_.size(); ++index) {
            Caller& caller = callers_[(index + offset) % callers_.size()];
            if (!(draining_ && !caller.active) &&
                (next == nullptr || instant(caller) < instant(*next))) {
                next = &caller;
            }
        }
        if (next == nullptr) {
            return;
        }
        const bool is_operators_turn = rules.operator_changes && operator_at_ < instant(*next);
        move_to(is_operators_turn ? operator_at_ : instant(*next));
        if (is_operators_turn) {
            change_something();
        } else {
            act(*next);
        }
        look();
    }

    [[nodiscard]] static TimePoint instant(const Caller& caller) {
        return std::min(caller.due, caller.cancel_at);
    }

    void move_to(TimePoint when) {
        if (when > now_) {
            const bool is_late = chance(random_, 0.2);
            now_ = when + (is_late ? random_duration(random_, 0s, kQuantum) : Duration::zero());
            look();
        }
    }

    void look() {
        tell([&](Watcher& watcher) { watcher.on_look(*this); });
    }

    template <class Tell>
    void tell(Tell&& tell_one) {
        for (Watcher* watcher : watchers_) {
            tell_one(*watcher);
        }
    }

    void act(Caller& caller) {
        // If both a cancellation and a deadline have come, the deadline counts: the circuit has
        // seen the end of the permit's lease.
        const TimePoint ends =
            caller.seen.permit ? caller.seen.permit->lease_end : TimePoint::max();
        if (caller.active && caller.cancel_at <= now_ && now_ < ends) {
            give_up(caller);
        } else if (!caller.active) {
            start(caller);
        } else if (caller.seen.phase == Phase::attempting) {
            end_attempt(caller);
        } else {
            const PipelineStep step = caller.call->resume(now_);
            if (now_ < caller.wait_until && caller.seen.phase == Phase::waiting) {
                ASSERT_TRUE(std::holds_alternative<WaitBeforeRetry>(step)) << "resumed too early";
            }
            take(caller, step);
        }
    }

    void start(Caller& caller) {
        CallSeen& seen = caller.seen;
        const PipelineOptions& options = caller.policy->options();
        seen = {.id = next_id_++,
                .policy = &*caller.policy,
                .traits = random_traits(random_, now_, rules.cancels),
                .started_at = now_};
        seen.traits.waiter = static_cast<WaiterId>(&caller - callers_.data());
        seen.deadline = std::min(seen.traits.deadline, Deadline::after(now_, options.timeout));
        caller.cancel_at = rules.cancels && chance(random_, 0.2)
                               ? now_ + random_duration(random_, 0s, options.timeout)
                               : TimePoint::max();
        caller.active = true;
        caller.call.emplace(*caller.policy, world.parts(), seen.traits);
        tell([&](Watcher& watcher) { watcher.on_start(*this, seen); });
        take(caller, caller.call->start(now_));
    }

    void end_attempt(Caller& caller) {
        const bool in_time = now_ < caller.wait_until;
        const AttemptEnd end = in_time ? caller.planned_end : timed_out_attempt();
        CallSeen& seen = caller.seen;
        tell([&](Watcher& watcher) { watcher.before_attempt_end(*this, seen, end); });
        const PipelineStep step = caller.call->on_attempt_end(end, now_, random_);
        tell([&](Watcher& watcher) { watcher.after_attempt_end(*this, seen); });
        seen.last_end = end;
        if (end.failure) {
            seen.side_effects_possible |=
                end.failure->delivery == Delivery::sent && !seen.traits.safe_to_repeat;
        }
        take(caller, step);
    }

    void give_up(Caller& caller) {
        caller.seen.cancelled = true;
        caller.seen.side_effects_possible |=
            caller.seen.phase == Phase::attempting && !caller.seen.traits.safe_to_repeat;
        if (chance(random_, 0.5)) {
            take(caller, caller.call->cancel());
        } else {
            caller.call.reset();
            finish(caller, std::nullopt);
        }
    }

    /// Performs a step, and records what can be known of it.
    void take(Caller& caller, const PipelineStep& step) {
        CallSeen& seen = caller.seen;
        if (const auto* attempt = std::get_if<StartAttempt>(&step)) {
            seen.phase = Phase::attempting;
            ++seen.attempts;
            if (!seen.permit) {
                seen.permit = permit_given(seen, *attempt);
            }
            caller.wait_until = attempt->deadline.when();
            const auto [takes, end] = planned_attempt();
            caller.planned_end = end;
            caller.due = std::min(now_ + takes, attempt->deadline.when());
            tell([&](Watcher& watcher) { watcher.on_attempt(*this, seen, *attempt); });
        } else if (const auto* slot = std::get_if<WaitForSlot>(&step)) {
            if (seen.phase != Phase::queued) {
                seen.phase = Phase::queued;
                tell([&](Watcher& watcher) { watcher.on_queue(*this, seen); });
            } else {
                EXPECT_EQ(slot->until, caller.wait_until) << "woken too early, it waits for less";
            }
            wait(caller, slot->until);
        } else if (const auto* retry = std::get_if<WaitBeforeRetry>(&step)) {
            if (seen.phase != Phase::waiting) {
                seen.phase = Phase::waiting;
                tell([&](Watcher& watcher) { watcher.on_retry_wait(*this, seen, *retry); });
                if (seen.policy->options().counts == CircuitCounts::attempt) {
                    seen.permit.reset();
                }
            }
            wait(caller, retry->until);
        } else {
            finish(caller, std::get<CallVerdict>(step));
        }
    }

    void wait(Caller& caller, TimePoint until) {
        caller.wait_until = until;
        const bool wakes_early = chance(random_, 0.1);
        caller.due =
            wakes_early && until > now_ ? now_ + random_duration(random_, 0s, until - now_) : until;
    }

    void finish(Caller& caller, const std::optional<CallVerdict>& verdict) {
        caller.active = false;
        tell([&](Watcher& watcher) { watcher.on_end(*this, caller.seen, verdict); });
        caller.seen.permit.reset();
        caller.seen.phase = Phase::none;
        caller.cancel_at = TimePoint::max();
        caller.due = now_ + random_duration(random_, 0s, 1s);
    }

    [[nodiscard]] PermitSeen permit_given(const CallSeen& call, const StartAttempt& attempt) const {
        const CircuitStatus status = circuit_status();
        const bool counts_call = call.policy->options().counts == CircuitCounts::call;
        return {.generation = status.generation,
                .is_probe =
                    status.mode == CircuitMode::normal && status.state == CircuitState::half_open,
                .acquired_at = now_,
                .lease_end = (counts_call ? call.deadline : attempt.deadline).when()};
    }

    void wake(WaiterId waiter) override {
        Caller& caller = callers_[waiter];
        caller.due = std::min(caller.due, now_ + random_duration(random_, 0s, kQuantum));
        tell([&](Watcher& watcher) { watcher.on_wake(*this, waiter); });
    }

    [[nodiscard]] std::pair<Duration, AttemptEnd> planned_attempt() {
        if (rules.health == Health::good) {
            return {random_duration(random_, 1ms, 20ms), {.outcome = Outcome::success}};
        }
        if (rules.health == Health::dead) {
            return {random_duration(random_, 1ms, 20ms), random_failure(random_, Outcome::failure)};
        }
        if (chance(random_, 0.05)) {
            mostly_fails_ = !mostly_fails_;
        }
        return random_attempt(random_, mostly_fails_);
    }

    void change_something() {
        operator_at_ = now_ + random_duration(random_, 100ms, 5s);
        switch (random_between(random_, 0, 4)) {
            case 0:
                world.circuit->set_mode(random_mode(random_), now_);
                break;
            case 1:
                world.circuit->reconfigure(
                    reconfigured(random_circuit_options(random_), world.circuit->options()), now_);
                break;
            case 2:
                world.bulkhead->reconfigure(random_bulkhead_options(random_));
                break;
            case 3:
                world.budget->reconfigure(
                    reconfigured(random_budget_options(random_), world.budget->options()), now_);
                break;
            default:
                world.limiter->reconfigure(random_limiter_options(random_), now_);
        }
    }

    std::mt19937_64& random_;
    std::vector<Watcher*> watchers_;
    TimePoint now_{1000h};
    TimePoint operator_at_ = now_;
    bool mostly_fails_ = false;
    bool draining_ = false;
    std::uint64_t next_id_ = 0;
    std::vector<Caller> callers_;
};

}  // namespace holdfast::resilience::testing
