#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <variant>

#include "holdfast/resilience/bulkhead.hpp"
#include "holdfast/resilience/circuit_breaker.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/rate_limiter.hpp"
#include "holdfast/resilience/retry_budget.hpp"
#include "holdfast/resilience/retry_sequence.hpp"

namespace holdfast::resilience {

/// What counts once on the circuit.
enum class CircuitCounts {
    call,     ///< The whole call, with all its attempts.
    attempt,  ///< Each attempt; a circuit that opens between two attempts ends the call.
};

struct PipelineOptions {
    Duration timeout = std::chrono::seconds{60};          ///< Of the whole call.
    Duration attempt_timeout = std::chrono::seconds{30};  ///< Of each attempt.
    CircuitCounts counts = CircuitCounts::call;
    RetryOptions retry = {};
    /// A cached value up to this age is returned without a call, even after the deadline; zero =
    /// never.
    Duration fresh_for = Duration::zero();
    /// A cached value up to this age may replace a failure; zero = never.
    Duration stale_for = Duration::zero();

    friend bool operator==(const PipelineOptions&, const PipelineOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<PipelineOptions> validated(const PipelineOptions& options);

/// Valid pipeline options, shared by any number of calls.
///
/// Thread-safety: immutable.
class PipelinePolicy {
public:
    /// Requires options that pass `validated`.
    explicit PipelinePolicy(const PipelineOptions& options = {});

    [[nodiscard]] const PipelineOptions& options() const noexcept { return options_; }
    [[nodiscard]] const RetryPolicy& retry() const noexcept { return retry_; }

private:
    PipelineOptions options_;
    RetryPolicy retry_;
};

/// The policies of a call, shared by the calls to one downstream and guarded by one lock. Null =
/// the step is skipped. All of them must outlive the calls.
struct PipelineParts {
    std::string_view name = {};
    RateLimiter* limiter = nullptr;
    CircuitBreaker* circuit = nullptr;
    Bulkhead* bulkhead = nullptr;
    RetryBudget* budget = nullptr;
    Observer* observer = nullptr;  ///< Of refusals and retries; the circuit has its own.
};

struct CallTraits {
    WaiterId waiter = 0;                    ///< The id that the bulkhead's waker wakes.
    Deadline deadline = Deadline::never();  ///< The caller's deadline; the earlier one counts.
    bool safe_to_repeat = false;
    std::optional<Duration> cached_age = std::nullopt;  ///< Of the cached value, if there is one.
};

/// How an attempt ended.
struct AttemptEnd {
    /// The outcome for the circuit; empty if there is none, because the downstream is known to be
    /// down or was never reached. The permit is then dropped.
    std::optional<Outcome> outcome = Outcome::success;
    std::optional<AttemptFailure> failure = std::nullopt;
};

enum class CallEnding {
    answered,
    cached,  ///< From the cache, without an attempt.
    /// The last attempt's error is the answer; `stop` says why there was no other attempt.
    failed,
    refused,    ///< No attempt was made; `refusal` says why.
    timed_out,  ///< The deadline passed, in the queue or in an attempt.
    cancelled,
};

struct CallVerdict {
    CallEnding ending = CallEnding::cancelled;
    std::uint32_t attempts = 0;
    /// An attempt was or may have been sent, no answer arrived, and the call is not known to be
    /// safe to repeat.
    bool side_effects_possible = false;
    std::optional<RetryStop> stop = std::nullopt;
    std::optional<Refusal> refusal = std::nullopt;
    /// When another call makes sense, if known.
    std::optional<Duration> retry_after = std::nullopt;
    /// Set if a cached value of this age may replace the failure.
    std::optional<Duration> stale_age = std::nullopt;
};

/// Send attempt `number`, and end it at `deadline` if it has not ended by itself.
struct StartAttempt {
    std::uint32_t number;
    Deadline deadline;
};
/// Wait until the bulkhead's waker wakes the call, at most until `until`; then `resume`.
struct WaitForSlot {
    TimePoint until;
};
/// Wait until `until`, then `resume`.
struct WaitBeforeRetry {
    TimePoint until;
};
using PipelineStep = std::variant<StartAttempt, WaitForSlot, WaitBeforeRetry, CallVerdict>;

/// The path of one call through deadline, cache, rate limit, circuit, queue, permit and retries. It
/// decides; a shell sends, waits and reports what happened. After a `CallVerdict` it holds nothing
/// and must not be used again. Destroying it at any point equals `cancel`.
///
/// Thread-safety: none; every operation runs under the lock that guards the parts.
class PipelineCall final {
public:
    /// The policy must outlive the call.
    PipelineCall(const PipelinePolicy& policy, const PipelineParts& parts,
                 const CallTraits& traits) noexcept;

    PipelineCall(const PipelinePolicy&& policy, const PipelineParts& parts,
                 const CallTraits& traits) = delete;  // would outlive the policy

    /// Must be called first, once.
    [[nodiscard]] PipelineStep start(TimePoint now);

    /// Continues after a wait. Called too early, it returns the same wait. Requires that the last
    /// step was a wait.
    [[nodiscard]] PipelineStep resume(TimePoint now);

    /// Reports the end of the started attempt. Uses the generator only to retry. Requires that the
    /// last step was an attempt.
    template <std::uniform_random_bit_generator Generator>
    [[nodiscard]] PipelineStep on_attempt_end(const AttemptEnd& end, TimePoint now,
                                              Generator& generator) {
        HOLDFAST_EXPECT(phase_ == Phase::attempt);
        if (!end.failure) [[likely]] {
            return finish_answered(end.outcome, now);
        }
        note_failure(end, now);
        const auto delay = sequence_.on_failure(*end.failure, deadline_, now, generator);
        return delay ? schedule_retry(end, *delay, now) : finish_failed(end, delay.error(), now);
    }

    /// Ends the call because the caller has gone. Releases everything without an outcome for the
    /// circuit; a permit of the rate limit and retries that were sent stay used.
    CallVerdict cancel();

    [[nodiscard]] Deadline deadline() const noexcept { return deadline_; }
    [[nodiscard]] std::uint32_t attempts() const noexcept { return sequence_.attempts(); }

private:
    enum class Phase : std::uint8_t { created, queued, attempt, backing_off, over };

    PipelineStep begin_attempt(TimePoint now);
    PipelineStep finish_answered(std::optional<Outcome> outcome, TimePoint now);
    PipelineStep finish_failed(const AttemptEnd& end, RetryStop stop, TimePoint now);
    PipelineStep finish_refused(const Refusal& refusal);
    PipelineStep finish_timed_out();
    PipelineStep schedule_retry(const AttemptEnd& end, Duration delay, TimePoint now);
    void note_failure(const AttemptEnd& end, TimePoint now);
    std::optional<Refusal> acquire_permit(TimePoint now);
    [[nodiscard]] bool circuit_outlasts(Duration delay, TimePoint now) const;
    PipelineStep refuse(RefusalReason reason, std::optional<Duration> retry_after);
    CallVerdict verdict(CallEnding ending) const;
    void settle(std::optional<Outcome> outcome, TimePoint now);
    void finish(std::optional<TimePoint> ended_at = std::nullopt) noexcept;

    const PipelinePolicy* policy_;
    PipelineParts parts_;
    CallTraits traits_;
    Deadline deadline_ = Deadline::never();
    RetrySequence sequence_;
    std::optional<Bulkhead::Slot> slot_;
    std::optional<Bulkhead::Place> place_;
    std::optional<CircuitBreaker::Permit> permit_;
    std::optional<RetryBudget::Hold> hold_;
    std::optional<AttemptEnd> last_end_;  // of the last failed attempt
    TimePoint retry_at_ = TimePoint::min();
    Phase phase_ = Phase::created;
    bool side_effects_possible_ = false;
};

[[nodiscard]] std::string_view name_of(CallEnding ending) noexcept;
[[nodiscard]] std::string_view name_of(CircuitCounts counts) noexcept;
[[nodiscard]] Result<CircuitCounts> circuit_counts_from_name(std::string_view name);

}  // namespace holdfast::resilience
