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

/// What kind of failure an attempt met: it chooses the delays.
enum class FailureKind {
    transient,  ///< May be gone in a moment.
    throttled,  ///< Asked to come back later.
    permanent,  ///< Will be the same next time: never repeated.
};

/// How far an attempt got.
enum class Delivery {
    not_sent,  ///< Nothing was written to the wire, so nothing can have happened.
    sent,      ///< Written, but no answer came: it may have had an effect.
    answered,  ///< Written, and answered with an error.
};

/// Which calls may be repeated once they have been sent.
enum class RepeatRule {
    safe,    ///< Those that are declared safe to repeat.
    always,  ///< All. For those who know that their downstream does nothing twice.
};

struct AttemptFailure {
    FailureKind kind = FailureKind::transient;
    Delivery delivery = Delivery::sent;
    std::optional<Duration> retry_after = std::nullopt;  ///< What the downstream asked for.
};

/// Why there is no further attempt.
enum class RetryStop {
    attempts_used_up,
    deadline,       ///< The next try could not finish in time.
    unsafe_repeat,  ///< It was sent, and is not known to be safe to repeat.
    not_retryable,
    budget_exhausted,
    refused,  ///< The circuit opened between two attempts.
    cancelled,
};

struct RetryOptions {
    std::uint32_t max_attempts = 3;
    BackoffOptions transient{.base = std::chrono::milliseconds{50}};
    BackoffOptions throttled{.base = std::chrono::seconds{1}};
    /// A `retry_after` counts from the computed delay up to this much more.
    Duration retry_after_slack = std::chrono::seconds{5};
    /// A retry must have at least this much time left when it starts.
    Duration minimum_attempt = Duration::zero();
    RepeatRule repeat = RepeatRule::safe;

    friend bool operator==(const RetryOptions&, const RetryOptions&) = default;
};

/// The options as they are, or a sentence that names the one to change.
[[nodiscard]] Result<RetryOptions> validated(const RetryOptions& options);

/// Retry options, checked and ready for use by any number of sequences.
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

/// The attempts of one call: after each failure it says how long to wait, or why to stop.
///
/// Thread-safety: none; one call owns it. The policy must outlive it.
class RetrySequence {
public:
    explicit RetrySequence(const RetryPolicy& policy, bool safe_to_repeat) noexcept
        : policy_(&policy), safe_to_repeat_(safe_to_repeat) {}

    RetrySequence(const RetryPolicy&& policy, bool safe_to_repeat) = delete;  // would outlive it

    /// An attempt begins. Requires that fewer than `max_attempts` have.
    void on_attempt();

    /// An attempt failed. Requires that one has begun.
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
