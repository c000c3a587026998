#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// The kind of a failure, which selects the delays.
enum class FailureKind {
    transient,  ///< May succeed soon.
    throttled,  ///< The downstream asked to come back later.
    permanent,  ///< Would fail again: never retried.
};

/// How far an attempt got.
enum class Delivery {
    not_sent,  ///< Nothing was written, so nothing can have happened.
    sent,      ///< Written, but not answered: it may have taken effect.
    answered,  ///< Written, and answered with an error.
};

/// Which calls may be repeated after they were sent.
enum class RepeatRule {
    safe,    ///< Calls that are declared safe to repeat.
    always,  ///< All calls. For downstreams that never do anything twice.
};

struct AttemptFailure {
    FailureKind kind = FailureKind::transient;
    Delivery delivery = Delivery::sent;
    /// The wait that the downstream requested.
    std::optional<Duration> retry_after = std::nullopt;
};

/// Why there is no further attempt.
enum class RetryStop {
    attempts_used_up,
    deadline,       ///< The next attempt could not finish in time.
    unsafe_repeat,  ///< The call was sent and is not known to be safe to repeat.
    not_retryable,
    budget_exhausted,
    refused,  ///< The circuit opened between two attempts.
    cancelled,
};

struct RetryOptions {
    std::uint32_t max_attempts = 3;
    BackoffOptions transient{.base = std::chrono::milliseconds{50}};
    BackoffOptions throttled{.base = std::chrono::seconds{1}};
    /// A `retry_after` extends the computed delay by at most this much.
    Duration retry_after_slack = std::chrono::seconds{5};
    /// A retry must have at least this much time left when it starts.
    Duration minimum_attempt = Duration::zero();
    RepeatRule repeat = RepeatRule::safe;

    friend bool operator==(const RetryOptions&, const RetryOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<RetryOptions> validated(const RetryOptions& options);

/// Valid retry options, shared by any number of sequences.
///
/// Thread-safety: immutable.
class RetryPolicy {
public:
    /// Requires options that pass `validated`.
    explicit RetryPolicy(const RetryOptions& options = {});

    [[nodiscard]] const RetryOptions& options() const noexcept { return options_; }
    [[nodiscard]] const Backoff& backoff_for(FailureKind kind) const noexcept {
        return kind == FailureKind::throttled ? throttled_ : transient_;
    }

private:
    RetryOptions options_;
    Backoff transient_;
    Backoff throttled_;
};

/// The attempts of one call. After each failure it returns how long to wait, or why to stop.
///
/// Thread-safety: none; one call owns it. The policy must outlive it.
class RetrySequence {
public:
    explicit RetrySequence(const RetryPolicy& policy, bool safe_to_repeat) noexcept
        : policy_(&policy), safe_to_repeat_(safe_to_repeat) {}

    RetrySequence(const RetryPolicy&& policy, bool safe_to_repeat) = delete;  // would outlive it

    /// Begins an attempt. Requires fewer than `max_attempts` attempts.
    void on_attempt();

    /// Reports that the attempt failed. Requires an attempt.
    template <std::uniform_random_bit_generator Generator>
    [[nodiscard]] Result<Duration, RetryStop> on_failure(const AttemptFailure& failure,
                                                         Deadline deadline, TimePoint now,
                                                         Generator& generator) {
        if (const auto stop = stop_before_delay(failure, deadline, now)) {
            return *stop;
        }
        const Backoff& backoff = policy_->backoff_for(failure.kind);
        return delay_or_stop(backoff.delay(attempts_, previous_delay_, generator), failure,
                             deadline, now);
    }

    [[nodiscard]] std::uint32_t attempts() const noexcept { return attempts_; }
    [[nodiscard]] std::uint32_t max_attempts() const noexcept {
        return policy_->options().max_attempts;
    }

private:
    [[nodiscard]] std::optional<RetryStop> stop_before_delay(const AttemptFailure& failure,
                                                             Deadline deadline,
                                                             TimePoint now) const;
    [[nodiscard]] Result<Duration, RetryStop> delay_or_stop(Duration computed,
                                                            const AttemptFailure& failure,
                                                            Deadline deadline, TimePoint now);

    const RetryPolicy* policy_;
    bool safe_to_repeat_;
    std::uint32_t attempts_ = 0;
    Duration previous_delay_ = Duration::zero();
};

[[nodiscard]] std::string_view name_of(RetryStop stop) noexcept;
[[nodiscard]] std::string_view name_of(RepeatRule rule) noexcept;
[[nodiscard]] Result<RepeatRule> repeat_rule_from_name(std::string_view name);

}  // namespace holdfast::resilience
