// Random operations on a circuit and on the naive model of support/circuit_model.hpp, compared
// after each step: the whole status, every refusal with its time, and the notifications of the
// observer. The clock often stops exactly at, just before and just after the instants at which
// something is due.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "support/circuit_model.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_observer.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::CircuitModel;
using testing::fields_of;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;
using testing::RecordingObserver;
using testing::text_of;
using Random = std::mt19937_64;

Duration random_duration(Random& random, Duration low, Duration high) {
    return Duration{random_between(random, low.count(), high.count())};
}

CircuitBreakerOptions random_options(Random& random) {
    CircuitBreakerOptions options;
    const auto percent = [&](int low, int high) {
        return random_between(random, low, high) / 100.0;
    };
    options.failure_threshold = random_between(random, 0U, 5U);
    options.failure_rate = std::nullopt;
    if (options.failure_threshold == 0 || chance(random, 0.4)) {
        options.failure_rate = percent(20, 100);
    }
    if (chance(random, 0.4)) {
        options.slow_calls = SlowCallTrip{.rate = percent(20, 100), .slow_after = 2s};
    }
    options.minimum_calls = random_between(random, 1U, 8U);
    options.window = random_between(random, 5, 40) * 1s;
    options.window_buckets = random_between(random, 1U, 12U);
    options.open_for = random_between(random, 1, 10) * 1s;
    options.open_growth = random_between(random, 2, 6) * 0.5;
    options.max_open_for = options.open_for * random_between(random, 1, 20);
    options.open_jitter = chance(random, 0.5) ? percent(0, 100) : 0.0;
    options.probe_limit = random_between(random, 1U, 5U);
    options.successes_to_close = random_between(random, 1U, 4U);
    options.failures_to_reopen = random_between(random, 1U, 3U);
    options.probe_lease = random_between(random, 1, 10) * 1s;
    options.on_lease_expiry = chance(random, 0.7) ? LeaseExpiry::failure : LeaseExpiry::success;
    return options;
}

struct TransitionFields {
    explicit TransitionFields(const CircuitTransition& transition)
        : value(transition.from, transition.to, transition.cause, transition.at,
                transition.consecutive_failures, transition.open_for) {}
    std::tuple<CircuitState, CircuitState, TransitionCause, TimePoint, std::uint32_t, Duration>
        value;
};

/// A circuit and its model, driven together.
class Pair {
public:
    explicit Pair(Random& random)
        : random_(random),
          options_(random_options(random)),
          seed_(random()),
          failure_share_(random_between(random, 10, 90) / 100.0),
          breaker_(options_, {.name = "files", .observer = &observer_, .jitter_seed = seed_}),
          model_(options_, seed_) {}

    void step() {
        if (chance(random_, 0.4)) {
            move_clock();
        }
        const int kind = random_between(random_, 0, 999);
        if (kind < 450) {
            acquire();
        } else if (kind < 850) {
            settle();
        } else if (kind < 930) {
            drop();
        } else if (kind < 950) {
            set_mode();
        } else if (kind < 955) {
            reset();
        } else if (kind < 975) {
            reconfigure();
        } else if (kind < 990) {
            save();
        } else {
            restore();
        }
    }

    /// The status, the notifications so far and the permits must be those of the model.
    void expect_same() {
        CircuitModel model = model_;
        model.pass_time(now());
        const CircuitStatus expected = model.status(now());
        const CircuitStatus status = breaker_.status(now());
        if (fields_of(status) != fields_of(expected)) {
            EXPECT_EQ(text_of(status), text_of(expected));
        }
        ASSERT_EQ(breaker_.permits_outstanding(), permits_.size());
        ASSERT_EQ(breaker_.refusal_at(now()), model.refusal(now()));
        ASSERT_EQ(observer_.transitions.size(), model_.transitions.size());
        for (; compared_ < model_.transitions.size(); ++compared_) {
            ASSERT_EQ(TransitionFields{observer_.transitions[compared_].second}.value,
                      TransitionFields{model_.transitions[compared_]}.value);
        }
    }

    /// No state is permanent: with time passing and calls answered, the circuit closes.
    void expect_recovery() {
        permits_.clear();
        breaker_.set_mode(CircuitMode::normal, now());
        int calls = 0;
        while (breaker_.state(now()) != CircuitState::closed) {
            ASSERT_LT(++calls, 10) << text_of(breaker_.status(now()));
            if (const auto refusal = breaker_.refusal_at(now())) {
                clock_.advance(refusal->retry_after.value());
            }
            auto probe = breaker_.try_acquire(now());
            ASSERT_TRUE(probe.has_value()) << text_of(breaker_.status(now()));
            probe->settle(Outcome::success, now());
        }
    }

    /// The circuit does not stay half-open even if no probe is ever answered.
    void expect_end_of_half_open() {
        permits_.clear();
        breaker_.set_mode(CircuitMode::normal, now());
        std::vector<CircuitBreaker::Permit> unanswered;
        int rounds = 0;
        while (breaker_.state(now()) == CircuitState::half_open) {
            ASSERT_LT(++rounds, 20) << text_of(breaker_.status(now()));
            if (auto probe = breaker_.try_acquire(now())) {
                unanswered.push_back(std::move(*probe));
            } else {
                clock_.advance(probe.error().retry_after.value());
            }
        }
    }

private:
    struct Admitted {
        CircuitBreaker::Permit permit;
        CircuitModel::Admission model;
    };

    [[nodiscard]] TimePoint now() const { return clock_.now(); }

    void move_clock() {
        if (const auto due = model_.next_due(); due && chance(random_, 0.3)) {
            const TimePoint stop = *due + Duration{random_between(random_, -1, 1)};
            clock_.advance(std::max(stop - now(), Duration::zero()));
        } else if (chance(random_, 0.1)) {
            clock_.advance(random_duration(random_, 0s, 60s));
        } else {
            clock_.advance(chance(random_, 0.2) ? 1s : random_duration(random_, 0s, 2s));
        }
    }

    void acquire() {
        std::optional<TimePoint> lease_end;
        if (chance(random_, 0.6)) {
            lease_end = now() + random_duration(random_, -1s, 8s);
        }
        model_.pass_time(now());
        const auto expected = model_.refusal(now());
        auto admission =
            breaker_.try_acquire(now(), lease_end ? Deadline::at(*lease_end) : Deadline::never());
        ASSERT_EQ(admission.has_value(), !expected.has_value());
        if (expected) {
            EXPECT_EQ(admission.error(), *expected);
            EXPECT_EQ(observer_.refusals.back().second, *expected);
            return;
        }
        const auto admitted = model_.acquire(now(), lease_end);
        EXPECT_EQ(admission->is_probe(), admitted.is_probe);
        if (admitted.is_probe) {
            EXPECT_LE(breaker_.status(now()).probes_in_flight, options_.probe_limit);
        }
        permits_.push_back({std::move(*admission), admitted});
    }

    std::optional<Admitted> take_permit() {
        if (permits_.empty()) {
            return std::nullopt;
        }
        const auto index = random_between(random_, std::size_t{0}, permits_.size() - 1);
        std::swap(permits_[index], permits_.back());
        Admitted taken = std::move(permits_.back());
        permits_.pop_back();
        return taken;
    }

    void settle() {
        auto taken = take_permit();
        if (!taken) {
            return;
        }
        const bool stale = model_.is_stale(taken->model);
        CircuitStatus before = breaker_.status(now());
        auto outcome = chance(random_, 0.2) ? Outcome::neutral : Outcome::success;
        if (chance(random_, failure_share_)) {
            outcome = Outcome::failure;
        }
        taken->permit.settle(outcome, now());
        model_.settle(taken->model, outcome, now());
        if (stale) {
            --before.permits_outstanding;
            EXPECT_EQ(fields_of(before), fields_of(breaker_.status(now())));
        }
    }

    void drop() {
        if (auto taken = take_permit()) {
            model_.drop(taken->model);
        }
    }

    void set_mode() {
        const bool back = chance(random_, 0.6);
        const auto mode =
            back ? CircuitMode::normal : static_cast<CircuitMode>(random_between(random_, 1, 3));
        breaker_.set_mode(mode, now());
        model_.pass_time(now());
        model_.set_mode(mode);
    }

    void reset() {
        breaker_.reset(now());
        model_.pass_time(now());
        model_.reset(now());
    }

    void reconfigure() {
        auto options = random_options(random_);
        if (chance(random_, 0.3)) {
            options.window = options_.window;
            options.window_buckets = options_.window_buckets;
        }
        breaker_.reconfigure(options, now());
        model_.pass_time(now());
        model_.reconfigure(options, now());
        options_ = options;
    }

    void save() {
        CircuitModel model = model_;
        model.pass_time(now());
        saved_ = {breaker_.snapshot(now()), model.save(now())};
    }

    void restore() {
        if (chance(random_, 0.5)) {
            save();
        }
        if (saved_) {
            const bool expected = model_.restore(saved_->second, now());
            EXPECT_EQ(breaker_.restore(saved_->first, now()).has_value(), expected);
        }
    }

    Random& random_;
    ManualClock clock_;
    RecordingObserver observer_;
    CircuitBreakerOptions options_;
    std::uint64_t seed_;
    double failure_share_;
    CircuitBreaker breaker_;
    CircuitModel model_;
    std::vector<Admitted> permits_;
    std::optional<std::pair<CircuitSnapshot, CircuitModel::Saved>> saved_;
    std::size_t compared_ = 0;
};

TEST(CircuitBreakerModelTest, BehavesAsTheNaiveModelUnderRandomOperations) {
    for_each_seed(1'000, [](Random& random) {
        Pair pair{random};
        for (int step = 0; step < 300 && !::testing::Test::HasFailure(); ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            pair.step();
            pair.expect_same();
        }
    });
}

TEST(CircuitBreakerModelTest, LeavesEveryStateAfterAnyHistory) {
    for_each_seed(1'000, [](Random& random) {
        Pair pair{random};
        const int steps = random_between(random, 1, 120);
        for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
            pair.step();
        }
        if (chance(random, 0.5)) {
            pair.expect_recovery();
        } else {
            pair.expect_end_of_half_open();
        }
    });
}

}  // namespace
}  // namespace holdfast::resilience
