// Agents that call tools in batches, and a downstream that works on four calls at a time. Counts
// the useful answers: those that arrive before the deadline of their call.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/bulkhead.hpp"
#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::random_between;

constexpr std::uint32_t kWorkers = 4;
constexpr Duration kDeadline = 50s;
constexpr Duration kMeanService = 1800ms;
constexpr std::size_t kCalls = 5'000;
constexpr std::size_t kLargestBatch = 12;

Duration random_exponential(std::mt19937_64& generator, Duration mean) {
    std::exponential_distribution<double> distribution{1.0 / static_cast<double>(mean.count())};
    return Duration{static_cast<Duration::rep>(distribution(generator))};
}

struct Call {
    TimePoint arrives = {};
    Duration service = {};
};

/// Calls in batches of 1 to 12 that arrive independently, within the time that makes the work of
/// all of them `load` times what the workers can do.
std::vector<Call> random_calls(std::mt19937_64& generator, double load) {
    std::vector<Call> calls(kCalls);
    Duration work{0};
    for (Call& call : calls) {
        call.service = random_exponential(generator, kMeanService);
        work += call.service;
    }
    const auto end =
        static_cast<Duration::rep>(static_cast<double>(work.count()) / kWorkers / load);
    const TimePoint start = testing::ManualClock{}.now();
    for (std::size_t next = 0; next < calls.size();) {
        const Duration into{random_between<Duration::rep>(generator, 0, end)};
        const auto batch = random_between<std::size_t>(generator, 1, kLargestBatch);
        for (const std::size_t last = std::min(next + batch, calls.size()); next < last; ++next) {
            calls[next].arrives = start + into;
        }
    }
    return calls;
}

class World final : public Waker {
public:
    explicit World(const BulkheadOptions& options) : bulkhead_(options, this) {}

    /// Returns the share of useful answers in percent.
    double run(const std::vector<Call>& calls) {
        calls_ = calls;
        for (std::size_t id = 0; id < calls.size(); ++id) {
            at(calls[id].arrives, [this, id] { arrive(id); });
        }
        while (!events_.empty()) {
            const auto event = events_.begin();
            now_ = event->first;
            const auto happens = std::move(event->second);
            events_.erase(event);
            happens();
            resume_woken();
        }
        EXPECT_EQ(bulkhead_.in_flight(), 0U);
        EXPECT_EQ(bulkhead_.queued(), 0U);
        return 100.0 * useful_ / static_cast<double>(calls.size());
    }

    void wake(WaiterId waiter) override { woken_.push_back(waiter); }

private:
    void at(TimePoint time, std::function<void()> happens) {
        events_.emplace(time, std::move(happens));
    }

    [[nodiscard]] Deadline deadline_of(WaiterId id) const {
        return Deadline::after(calls_[id].arrives, kDeadline);
    }

    void arrive(WaiterId id) {
        auto admission = bulkhead_.enter(id, deadline_of(id), now_);
        if (auto* slot = std::get_if<Bulkhead::Slot>(&admission)) {
            serve(id, std::move(*slot));
        } else if (auto* place = std::get_if<Bulkhead::Place>(&admission)) {
            at(place->until(), [this, id] { waiting_.erase(id); });
            waiting_.emplace(id, std::move(*place));
        }
    }

    /// The call ends with its answer, or at its deadline.
    void serve(WaiterId id, Bulkhead::Slot slot) {
        const TimePoint answered = now_ + calls_[id].service;
        const TimePoint deadline = deadline_of(id).when();
        running_.emplace(id, std::move(slot));
        at(std::min(answered, deadline), [this, id, is_useful = answered < deadline] {
            useful_ += is_useful ? 1 : 0;
            running_.extract(id).mapped().leave(now_);
        });
    }

    void resume_woken() {
        while (!woken_.empty()) {
            for (const WaiterId id : std::exchange(woken_, {})) {
                auto node = waiting_.extract(id);
                if (!node.empty() && node.mapped().is_granted()) {
                    serve(id, node.mapped().claim());
                }
            }
        }
    }

    Bulkhead bulkhead_;
    std::vector<Call> calls_;
    TimePoint now_ = TimePoint::min();
    std::multimap<TimePoint, std::function<void()>> events_;
    std::map<WaiterId, Bulkhead::Place> waiting_;
    std::map<WaiterId, Bulkhead::Slot> running_;
    std::vector<WaiterId> woken_;
    int useful_ = 0;
};

/// The mean of some seeds, in percent.
double useful_answers(double load, std::optional<Duration> max_wait) {
    constexpr int kRuns = 10;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        std::mt19937_64 generator{seed};
        World world{{.max_in_flight = kWorkers, .max_queue = 64, .max_wait = max_wait}};
        sum += world.run(random_calls(generator, load));
    }
    return sum / kRuns;
}

TEST(QueueSimulationTest, WaitingUntilTheDeadlineAnswersNearlyAllThatTheWorkersCanDo) {
    EXPECT_GE(useful_answers(0.5, std::nullopt), 99.0);
    EXPECT_GE(useful_answers(0.8, std::nullopt), 98.0);
    // At most 1 / 1.2 of the calls can be answered, and the rest of the queue afterwards.
    EXPECT_GE(useful_answers(1.2, std::nullopt), 83.0);
}

TEST(QueueSimulationTest, AShortWaitRefusesCallsThatHaveTime) {
    EXPECT_LT(useful_answers(0.5, 5s), 91.0);
    EXPECT_LT(useful_answers(0.8, 5s), 82.0);
    EXPECT_LT(useful_answers(1.2, 5s), 70.0);
}

}  // namespace
}  // namespace holdfast::resilience
