// A cancelled call leaves no trace. A script of overlapping calls runs through all states. Then,
// for each call and each moment of its life, the script runs again with that call dropped at that
// moment, and is compared with a circuit that was never asked for that call. From the drop on, both
// must look the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::admitted;
using testing::ManualClock;
using testing::plain_options;
using testing::text_of;
using testing::trip;

struct Step {
    Duration wait;  ///< Before the step.
    char call;
    std::optional<Outcome> answer;  ///< None = the call begins.
    Duration lease = 20s;
};

constexpr auto kAsk = std::optional<Outcome>{};
constexpr auto kGood = std::optional{Outcome::success};
constexpr auto kBad = std::optional{Outcome::failure};
constexpr auto kNeutral = std::optional{Outcome::neutral};

constexpr Step kScript[] = {
    // Closed: overlapping calls, then enough failures to open.
    {0s, 'a', kAsk},
    {1s, 'b', kAsk},
    {0s, 'a', kGood},
    {1s, 'c', kAsk},
    {0s, 'd', kAsk},
    {0s, 'c', kBad},
    {1s, 'b', kNeutral},
    {0s, 'e', kAsk},
    {1s, 'd', kBad},
    {0s, 'f', kAsk},
    {0s, 'e', kBad},
    {1s, 'g', kAsk},
    {0s, 'f', kBad},
    // Open, then half-open with three probes; one lease ends and counts.
    {2s, 'h', kAsk},
    {9s, 'i', kAsk, 3s},
    {0s, 'j', kAsk},
    {1s, 'k', kAsk},
    {1s, 'j', kGood},
    {3s, 'l', kAsk},
    {0s, 'k', kGood},
    {1s, 'l', kBad},
    {0s, 'm', kAsk},
    // Half-open again, then closed.
    {12s, 'n', kAsk},
    {0s, 'o', kAsk},
    {1s, 'n', kNeutral},
    {0s, 'p', kAsk},
    {1s, 'o', kGood},
    {0s, 'q', kAsk},
    {0s, 'p', kGood},
    {1s, 'q', kGood},
    {0s, 'r', kAsk},
    {1s, 'r', kBad},
};
constexpr std::size_t kStepCount = std::size(kScript);

CircuitBreakerOptions script_options() {
    auto options = plain_options();
    options.open_jitter = 0.3;
    options.open_growth = 1.5;
    options.probe_limit = 4;
    options.successes_to_close = 4;
    options.failures_to_reopen = 2;
    return options;
}

class ScriptedCircuit {
public:
    explicit ScriptedCircuit(std::optional<char> never_asked = std::nullopt)
        : never_asked_(never_asked) {}

    void run(std::size_t index) {
        const Step& step = kScript[index];
        clock_.advance(step.wait);
        if (step.call == never_asked_) {
            return;
        }
        if (!step.answer) {
            const auto lease = Deadline::after(clock_.now(), step.lease);
            if (auto permit = breaker_.try_acquire(clock_.now(), lease)) {
                permits_.emplace(step.call, std::move(*permit));
            }
        } else if (const auto found = permits_.find(step.call); found != permits_.end()) {
            found->second.settle(*step.answer, clock_.now());
            permits_.erase(found);
        }
    }

    /// Cancels as a caller does: the permit is destroyed without an outcome.
    void cancel(char call) { permits_.erase(call); }

    /// Returns what can be observed of the circuit. Half-open without a probe or a result is
    /// equivalent to open with its time used up: the first admission turns one into the other.
    [[nodiscard]] std::string seen() const {
        CircuitStatus status = breaker_.status(clock_.now());
        const CircuitSnapshot snapshot = breaker_.snapshot(clock_.now());
        const bool untried = status.state == CircuitState::half_open &&
                             status.probes_in_flight == 0 && snapshot.probe_successes == 0 &&
                             snapshot.probe_failures == 0;
        if (untried) {
            status.state = CircuitState::open;
            --status.generation;
        }
        // The age of a half-open state depends on the first caller, even if that one was cancelled.
        if (status.state != CircuitState::closed) {
            status.state_age = 0s;
        }
        return text_of(status) + " probe_failures=" + std::to_string(snapshot.probe_failures) +
               " opens=" + std::to_string(snapshot.consecutive_opens);
    }

private:
    std::optional<char> never_asked_;
    ManualClock clock_;
    CircuitBreaker breaker_{script_options()};
    std::map<char, CircuitBreaker::Permit> permits_;
};

/// Returns the step that begins a call and the one that answers it, or the end.
std::pair<std::size_t, std::size_t> life_of(char call) {
    std::size_t asked = kStepCount;
    std::size_t answered = kStepCount;
    for (std::size_t index = 0; index < kStepCount; ++index) {
        if (kScript[index].call == call) {
            (kScript[index].answer ? answered : asked) = index;
        }
    }
    return {asked, answered};
}

TEST(CircuitBreakerCancelTest, ScriptRunsThroughAllStates) {
    ScriptedCircuit circuit;
    std::string states;

    for (std::size_t index = 0; index < kStepCount; ++index) {
        circuit.run(index);
        const std::string seen = circuit.seen();
        const std::string state = " " + seen.substr(0, seen.find(' '));
        if (!states.ends_with(state)) {
            states += state;
        }
    }

    EXPECT_EQ(states, " closed open half_open open half_open closed");
}

TEST(CircuitBreakerCancelTest, CallCancelledAtAnyMomentLeavesNoTrace) {
    int cancelled = 0;
    for (char call = 'a'; call <= 'r'; ++call) {
        const auto [asked, answered] = life_of(call);
        ASSERT_LT(asked, kStepCount) << call;
        // A lease that ended has counted: from then on there is nothing left to cancel.
        const std::size_t last = call == 'i' ? asked + 4 : std::min(answered, kStepCount - 1);
        for (std::size_t at = asked; at <= last; ++at) {
            SCOPED_TRACE(std::string{"call "} + call + " cancelled at step " + std::to_string(at));
            ScriptedCircuit with_call;
            ScriptedCircuit without_call{call};
            for (std::size_t index = 0; index < kStepCount; ++index) {
                if (index == at && index != asked) {
                    with_call.cancel(call);
                }
                with_call.run(index);
                without_call.run(index);
                if (index == at && index == asked) {
                    with_call.cancel(call);
                }
                if (index >= at) {
                    ASSERT_EQ(with_call.seen(), without_call.seen()) << "after step " << index;
                }
            }
            ++cancelled;
        }
    }
    EXPECT_GT(cancelled, 60);
}

TEST(CircuitBreakerCancelTest, PermitIsCancelledByMovingAnotherOntoIt) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    auto permit = admitted(breaker, clock.now());
    breaker.reset(clock.now());

    permit = admitted(breaker, clock.now());

    EXPECT_EQ(breaker.permits_outstanding(), 1U);
    EXPECT_TRUE(permit.is_pending());
    EXPECT_FALSE(permit.is_probe());
}

TEST(CircuitBreakerCancelTest, MovedPermitSettlesOnce) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    {
        auto permit = admitted(breaker, clock.now());
        auto moved = std::move(permit);
        EXPECT_FALSE(permit.is_pending());  // NOLINT(bugprone-use-after-move): that is the promise.
        moved.settle(Outcome::failure, clock.now());
        EXPECT_FALSE(moved.is_pending());
    }

    EXPECT_EQ(breaker.permits_outstanding(), 0U);
    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 1, .failures = 1}));
}

TEST(CircuitBreakerCancelTest, DropAfterAnUnnoticedLeaseEndFreesTheSlotOnly) {
    // A drop has no time, so it counts as of the last operation that had one.
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    auto probe = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));

    clock.advance(5s);
    probe.drop();

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    EXPECT_TRUE(breaker.status(clock.now()).can_attempt);
}

TEST(CircuitBreakerCancelDeathTest, SettlingTwiceIsABug) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    auto permit = admitted(breaker, clock.now());
    permit.settle(Outcome::success, clock.now());

    EXPECT_DEATH(permit.settle(Outcome::success, clock.now()), "circuit_ != nullptr");
}

}  // namespace
}  // namespace holdfast::resilience
