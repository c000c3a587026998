// A circuit breaker written to be obviously correct instead of fast: the window is a list of calls,
// counted again at every look; the leases are a map; and time is eager: users of the model first
// call `pass_time`, which ends every lease in its order, as timers would.
//
// One thing is not eager because a dropped permit has no time: the drop takes place at the last
// instant that the circuit has seen.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "holdfast/resilience/detail/random.hpp"

namespace holdfast::resilience::testing {

class CircuitModel {
public:
    struct Call {
        TimePoint at;
        bool failed;
        bool slow;
    };
    struct Admission {
        int id;
        std::uint64_t generation;
        TimePoint at;
        bool is_probe;
    };
    /// A saved state; instants are those of the time when it was saved.
    struct Saved {
        CircuitState state;
        CircuitMode mode;
        std::uint32_t failures_in_row, opens_in_row, good_probes, bad_probes;
        std::optional<Duration> age;
        Duration open_left;
        std::vector<Call> calls;
        TimePoint at;
    };

    CircuitModel(const CircuitBreakerOptions& options, std::uint64_t seed)
        : options_(options), seed_(seed) {}

    void pass_time(TimePoint now) {
        while (state_ == CircuitState::half_open && !leases_.empty()) {
            const auto first = std::min_element(
                leases_.begin(), leases_.end(),
                [](const auto& left, const auto& right) { return left.second < right.second; });
            const TimePoint end = first->second;
            if (end > now) {
                return;
            }
            leases_.erase(first);
            on_probe_result(options_.on_lease_expiry == LeaseExpiry::success, end,
                            TransitionCause::probe_lease_expired,
                            TransitionCause::probe_lease_expired);
        }
    }

    [[nodiscard]] std::optional<Refusal> refusal(TimePoint now) const {
        if (mode_ == CircuitMode::forced_open) {
            return Refusal{RefusalReason::circuit_forced_open, std::nullopt};
        }
        if (mode_ != CircuitMode::normal || state_ == CircuitState::closed) {
            return std::nullopt;
        }
        if (state_ == CircuitState::open) {
            return now < open_until_
                       ? std::optional{Refusal{RefusalReason::circuit_open, open_until_ - now}}
                       : std::nullopt;
        }
        const auto in_flight = static_cast<std::uint32_t>(leases_.size());
        if (in_flight < options_.probe_limit &&
            in_flight + good_probes_ < options_.successes_to_close) {
            return std::nullopt;
        }
        TimePoint first_end = TimePoint::max();
        for (const auto& [id, end] : leases_) {
            first_end = std::min(first_end, end);
        }
        return Refusal{RefusalReason::circuit_probing, first_end - now};
    }

    /// Requires that there is no refusal.
    Admission acquire(TimePoint now, std::optional<TimePoint> lease_end) {
        const bool normal = mode_ == CircuitMode::normal;
        if (normal && state_ == CircuitState::open) {
            good_probes_ = 0;
            bad_probes_ = 0;
            go(CircuitState::half_open, TransitionCause::open_time_over, now);
        }
        const bool is_probe = normal && state_ == CircuitState::half_open;
        ++permits_;
        if (is_probe) {
            const bool usable = lease_end && *lease_end > now;
            leases_[next_id_] = usable ? *lease_end : now + options_.probe_lease;
        }
        return {next_id_++, generation_, now, is_probe};
    }

    [[nodiscard]] bool is_stale(const Admission& admission) const {
        return admission.generation != generation_;
    }

    void settle(const Admission& admission, Outcome outcome, TimePoint now) {
        --permits_;
        if (is_stale(admission)) {
            return;
        }
        pass_time(now);
        const bool slow =
            options_.slow_calls && now - admission.at >= options_.slow_calls->slow_after;
        if (admission.is_probe) {
            if (!is_stale(admission) && leases_.erase(admission.id) == 1) {
                on_probe_result(outcome != Outcome::failure && !slow, now,
                                TransitionCause::probe_failed, TransitionCause::probes_succeeded);
            }
        } else if (mode_ != CircuitMode::disabled && outcome != Outcome::neutral) {
            count({now, outcome == Outcome::failure, slow});
        }
    }

    void drop(const Admission& admission) {
        --permits_;
        if (!is_stale(admission)) {
            leases_.erase(admission.id);
        }
    }

    void set_mode(CircuitMode mode) {
        if (mode != mode_) {
            mode_ = mode;
            ++generation_;
            leases_.clear();
        }
    }

    void reset(TimePoint now) {
        go(CircuitState::closed, TransitionCause::reset, now);
        opens_in_row_ = 0;
    }

    void reconfigure(const CircuitBreakerOptions& options, TimePoint now) {
        if (options.window != options_.window ||
            options.window_buckets != options_.window_buckets) {
            calls_ = calls_by_bucket_end(now);
        }
        options_ = options;
        if (state_ == CircuitState::open) {
            const auto earlier = opens_in_row_ == 0 ? 0 : opens_in_row_ - 1;
            open_until_ = std::min(open_until_, since_.value() + grown_open_time(earlier));
        }
        if (state_ == CircuitState::half_open) {
            judge(now, TransitionCause::reconfigured, TransitionCause::reconfigured);
        }
    }

    [[nodiscard]] Saved save(TimePoint now) const {
        const bool probing = state_ == CircuitState::half_open;
        const bool open = state_ == CircuitState::open;
        return {
            .state = state_,
            .mode = mode_,
            .failures_in_row = failures_in_row_,
            .opens_in_row = opens_in_row_,
            .good_probes = probing ? good_probes_ : 0,
            .bad_probes = probing ? bad_probes_ : 0,
            .age = since_ ? std::optional{now - *since_} : std::nullopt,
            .open_left = open ? std::max(open_until_ - now, Duration::zero()) : Duration::zero(),
            .calls = calls_by_bucket_end(now),
            .at = now};
    }

    /// Returns false if the saved state is impossible with these options.
    [[nodiscard]] bool restore(const Saved& saved, TimePoint now) {
        if (saved.state == CircuitState::half_open &&
            (saved.good_probes >= options_.successes_to_close ||
             saved.bad_probes >= options_.failures_to_reopen)) {
            return false;
        }
        pass_time(now);
        const CircuitState from = state_;
        state_ = saved.state;
        mode_ = saved.mode;
        ++generation_;
        since_ = saved.age ? std::optional{now - *saved.age} : std::nullopt;
        open_until_ = now + std::min(saved.open_left, options_.max_open_for);
        failures_in_row_ = saved.failures_in_row;
        opens_in_row_ = saved.opens_in_row;
        good_probes_ = saved.good_probes;
        bad_probes_ = saved.bad_probes;
        leases_.clear();
        calls_ = saved.calls;
        for (Call& call : calls_) {
            call.at += now - saved.at;
        }
        if (from != state_) {
            const bool open = state_ == CircuitState::open;
            transitions.push_back({from, state_, TransitionCause::restored, now, generation_,
                                   failures_in_row_, open ? open_until_ - now : Duration::zero()});
        }
        return true;
    }

    /// Requires that time has been passed to `now`.
    [[nodiscard]] CircuitStatus status(TimePoint now) const {
        const auto refused = refusal(now);
        return {.state = state_,
                .mode = mode_,
                .generation = generation_,
                .consecutive_failures = failures_in_row_,
                .window = window(now),
                .probes_in_flight = static_cast<std::uint32_t>(leases_.size()),
                .probe_successes = state_ == CircuitState::half_open ? good_probes_ : 0,
                .permits_outstanding = permits_,
                .state_age = since_ ? now - *since_ : Duration::max(),
                .can_attempt = !refused,
                .retry_after = refused ? refused->retry_after : std::nullopt};
    }

    [[nodiscard]] WindowCounts window(TimePoint now) const {
        WindowCounts counts;
        for (const Call& call : calls_) {
            if (is_in_window(call, now)) {
                ++counts.calls;
                counts.failures += call.failed ? 1 : 0;
                counts.slow += call.slow ? 1 : 0;
            }
        }
        return counts;
    }

    /// Returns an instant at which something is due, if there is one.
    [[nodiscard]] std::optional<TimePoint> next_due() const {
        if (!leases_.empty()) {
            return leases_.begin()->second;
        }
        return state_ == CircuitState::open ? std::optional{open_until_} : std::nullopt;
    }

    std::vector<CircuitTransition> transitions;

private:
    [[nodiscard]] std::int64_t bucket_of(TimePoint when) const {
        const auto width = (options_.window / options_.window_buckets).count();
        const auto ticks = when.time_since_epoch().count();
        return (ticks - (ticks % width + width) % width) / width;
    }

    [[nodiscard]] bool is_in_window(const Call& call, TimePoint now) const {
        return bucket_of(now) - bucket_of(call.at) < options_.window_buckets;
    }

    /// Returns what a store of counts by bucket knows of the calls.
    [[nodiscard]] std::vector<Call> calls_by_bucket_end(TimePoint now) const {
        std::vector<Call> kept;
        for (const Call& call : calls_) {
            if (is_in_window(call, now)) {
                const Duration width = options_.window / options_.window_buckets;
                const TimePoint last{(bucket_of(call.at) + 1) * width - Duration{1}};
                kept.push_back({std::min(last, now), call.failed, call.slow});
            }
        }
        return kept;
    }

    void count(const Call& call) {
        std::erase_if(calls_, [&](const Call& old) { return !is_in_window(old, call.at); });
        calls_.push_back(call);
        failures_in_row_ = call.failed ? failures_in_row_ + 1 : 0;
        if (mode_ != CircuitMode::normal || (!call.failed && !call.slow)) {
            return;
        }
        const WindowCounts counts = window(call.at);
        const auto reaches = [&](std::uint32_t part, double rate) {
            // Rates are whole percents, so that the comparison is exact.
            const auto percent = static_cast<std::uint64_t>(std::llround(rate * 100));
            return counts.calls >= options_.minimum_calls &&
                   std::uint64_t{part} * 100 >= percent * counts.calls;
        };
        if (options_.failure_threshold > 0 && failures_in_row_ >= options_.failure_threshold) {
            open(TransitionCause::consecutive_failures, call.at);
        } else if (call.failed && options_.failure_rate &&
                   reaches(counts.failures, *options_.failure_rate)) {
            open(TransitionCause::failure_rate, call.at);
        } else if (options_.slow_calls && reaches(counts.slow, options_.slow_calls->rate)) {
            open(TransitionCause::slow_call_rate, call.at);
        }
    }

    void on_probe_result(bool good, TimePoint at, TransitionCause if_bad, TransitionCause if_good) {
        ++(good ? good_probes_ : bad_probes_);
        judge(at, if_bad, if_good);
    }

    void judge(TimePoint at, TransitionCause if_bad, TransitionCause if_good) {
        if (bad_probes_ >= options_.failures_to_reopen) {
            open(if_bad, at);
        } else if (good_probes_ >= options_.successes_to_close) {
            go(CircuitState::closed, if_good, at);
        }
    }

    [[nodiscard]] Duration grown_open_time(std::uint32_t earlier) const {
        auto ticks = static_cast<double>(options_.open_for.count());
        const auto cap = static_cast<double>(options_.max_open_for.count());
        for (std::uint32_t step = 0; step < earlier && ticks < cap; ++step) {
            ticks *= options_.open_growth;
        }
        return Duration{std::llround(std::min(ticks, cap))};
    }

    void open(TransitionCause cause, TimePoint at) {
        const bool was_well =
            state_ == CircuitState::closed && (!since_ || at - *since_ >= options_.window);
        opens_in_row_ = was_well ? 0 : opens_in_row_;
        const double random = detail::unit_interval(detail::mixed(seed_, generation_));
        const auto grown = static_cast<double>(grown_open_time(opens_in_row_).count());
        const Duration lasts{std::llround(grown * (1.0 - options_.open_jitter * random))};
        ++opens_in_row_;
        open_until_ = at + lasts;
        go(CircuitState::open, cause, at);
    }

    void go(CircuitState next, TransitionCause cause, TimePoint at) {
        if (next != state_) {
            const bool opens = next == CircuitState::open;
            transitions.push_back({state_, next, cause, at, generation_ + 1, failures_in_row_,
                                   opens ? open_until_ - at : Duration::zero()});
        }
        state_ = next;
        since_ = at;
        ++generation_;
        leases_.clear();
        if (next == CircuitState::closed) {
            failures_in_row_ = 0;
            calls_.clear();
        }
    }

    CircuitBreakerOptions options_;
    std::uint64_t seed_;
    CircuitMode mode_ = CircuitMode::normal;
    CircuitState state_ = CircuitState::closed;
    std::uint64_t generation_ = 1;
    std::optional<TimePoint> since_;
    TimePoint open_until_;
    std::uint32_t failures_in_row_ = 0;
    std::uint32_t opens_in_row_ = 0;
    std::uint32_t good_probes_ = 0;
    std::uint32_t bad_probes_ = 0;
    std::uint64_t permits_ = 0;
    int next_id_ = 0;
    std::map<int, TimePoint> leases_;
    std::vector<Call> calls_;
};

}  // namespace holdfast::resilience::testing
