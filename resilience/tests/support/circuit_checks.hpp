#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/circuit_tools.hpp"
#include "support/scheduled_callers.hpp"

namespace holdfast::resilience::testing {

/// Checks the probes in flight: those that callers hold, of this generation and within their lease.
class ProbeCheck final : public Watcher {
public:
    void on_look(const ScheduledCallers& world) override {
        const std::uint32_t held = probes_held(world);
        ASSERT_EQ(held, world.circuit_status().probes_in_flight);
        if (held > world.world.circuit->options().probe_limit) {
            ASSERT_LE(held, held_before_) << "only a lower limit may leave more in flight";
        }
        held_before_ = held;
    }

    void on_attempt(const ScheduledCallers& world, const CallSeen& call,
                    const StartAttempt& /*attempt*/) override {
        if (call.permit->is_probe && call.permit->acquired_at == world.now()) {
            const CircuitBreakerOptions& options = world.world.circuit->options();
            const std::uint32_t held = probes_held(world);
            ASSERT_LE(held, options.probe_limit);
            ASSERT_LE(held + world.circuit_status().probe_successes, options.successes_to_close);
            most_held = std::max(most_held, held);
        }
    }

    std::uint32_t most_held = 0;

private:
    static std::uint32_t probes_held(const ScheduledCallers& world) {
        const std::uint64_t generation = world.circuit_status().generation;
        return world.count_calls([&](const CallSeen& call) {
            return call.permit && call.permit->is_probe && call.permit->generation == generation &&
                   call.permit->lease_end > world.now();
        });
    }

    std::uint32_t held_before_ = 0;
};

/// Checks that the number of outstanding permits is the number that callers hold.
class PermitCheck final : public Watcher {
public:
    void on_look(const ScheduledCallers& world) override {
        const std::uint32_t held =
            world.count_calls([](const CallSeen& call) { return call.permit.has_value(); });
        ASSERT_EQ(world.world.circuit->permits_outstanding(), held);
        most_held = std::max(most_held, held);
    }

    std::uint32_t most_held = 0;
};

/// Checks that a result of an older generation changes nothing, and that generations increase.
class GenerationCheck final : public Watcher {
public:
    void on_look(const ScheduledCallers& world) override {
        const std::uint64_t generation = world.circuit_status().generation;
        ASSERT_GE(generation, newest_);
        newest_ = generation;
    }

    void before_attempt_end(const ScheduledCallers& world, const CallSeen& call,
                            const AttemptEnd& /*end*/) override {
        before_ = world.circuit_status();
        is_old_ = call.permit->generation < before_.generation;
    }

    void after_attempt_end(const ScheduledCallers& world, const CallSeen& /*call*/) override {
        if (is_old_) {
            CircuitStatus after = world.circuit_status();
            after.permits_outstanding = before_.permits_outstanding;
            ASSERT_EQ(text_of(after), text_of(before_));
            ++old_results;
        }
    }

    std::uint64_t old_results = 0;

private:
    std::uint64_t newest_ = 0;
    bool is_old_ = false;
    CircuitStatus before_{};
};

/// Checks the window against a list of the results that count, counted again at every look.
class WindowCheck final : public Watcher {
public:
    void on_look(const ScheduledCallers& world) override {
        const CircuitStatus status = world.circuit_status();
        if (before_ && before_->state != CircuitState::closed &&
            status.state == CircuitState::closed) {
            results_.clear();  // a circuit that closes starts with an empty window
        }
        before_ = status;
        const WindowCounts counts = counted(world);
        ASSERT_EQ(status.window.calls, counts.calls);
        ASSERT_EQ(status.window.failures, counts.failures);
        ASSERT_EQ(status.window.slow, counts.slow);
        most_counted = std::max(most_counted, counts.calls);
    }

    void on_retry_wait(const ScheduledCallers& world, const CallSeen& call,
                       const WaitBeforeRetry& /*wait*/) override {
        if (call.policy->options().counts == CircuitCounts::attempt) {
            settle(world, call);
        }
    }

    void on_end(const ScheduledCallers& world, const CallSeen& call,
                const std::optional<CallVerdict>& /*verdict*/) override {
        if (!call.cancelled && call.permit) {
            settle(world, call);
        }
    }

    std::uint32_t most_counted = 0;

private:
    struct Settled {
        TimePoint at;
        bool failed;
        bool slow;
    };

    void settle(const ScheduledCallers& world, const CallSeen& call) {
        const bool says_something = call.permit->generation == before_->generation &&
                                    before_->mode != CircuitMode::disabled &&
                                    call.last_end->outcome &&
                                    call.last_end->outcome != Outcome::neutral;
        if (!says_something || call.permit->is_probe) {
            return;
        }
        const auto& slow_calls = world.world.circuit->options().slow_calls;
        results_.push_back({.at = world.now(),
                            .failed = call.last_end->outcome == Outcome::failure,
                            .slow = slow_calls && world.now() - call.permit->acquired_at >=
                                                      slow_calls->slow_after});
    }

    [[nodiscard]] WindowCounts counted(const ScheduledCallers& world) {
        const CircuitBreakerOptions& options = world.world.circuit->options();
        const Duration width = options.window / options.window_buckets;
        const auto bucket_of = [&](TimePoint at) { return at.time_since_epoch() / width; };
        std::erase_if(results_, [&](const Settled& result) {
            return bucket_of(world.now()) - bucket_of(result.at) >= options.window_buckets;
        });
        WindowCounts counts;
        for (const Settled& result : results_) {
            ++counts.calls;
            counts.failures += result.failed ? 1 : 0;
            counts.slow += result.slow ? 1 : 0;
        }
        return counts;
    }

    std::optional<CircuitStatus> before_;
    std::vector<Settled> results_;
};

}  // namespace holdfast::resilience::testing
