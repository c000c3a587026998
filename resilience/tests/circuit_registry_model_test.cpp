#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/resilience/circuit_registry.hpp"
#include "support/circuit_model.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::CircuitModel;
using testing::fields_of;
using testing::for_each_seed;
using testing::ManualClock;
using testing::plain_options;
using testing::random_between;
using testing::text_of;

constexpr std::size_t kMaxCircuits = 4;
constexpr Duration kIdle = 10s;

CircuitBreakerOptions figures(std::uint32_t threshold) {
    auto options = plain_options();
    options.failure_threshold = threshold;
    options.window = 6s;
    options.window_buckets = 3;
    options.open_for = 3s;
    options.successes_to_close = 1;
    return options;
}

/// Compares a registry with a plain map of names, each with a naive circuit while it is live.
class RegistryPair {
public:
    explicit RegistryPair(std::mt19937_64& random)
        : random_(random),
          registry_(CircuitRegistryOptions{
              .defaults = figures(2), .max_circuits = kMaxCircuits, .idle_after = kIdle}) {}

    void step() {
        if (chance(random_, 0.5)) {
            clock_.advance(random_between(random_, 1, 30) * 100ms);
        }
        const std::string name(1, static_cast<char>('a' + random_between(random_, 0, 6)));
        const int kind = random_between(random_, 0, 99);
        if (kind < 20) {
            get(name);
        } else if (kind < 35) {
            release();
        } else if (kind < 60) {
            acquire();
        } else if (kind < 80) {
            finish_call();
        } else if (kind < 85) {
            set_mode();
        } else if (kind < 90) {
            configure(name);
        } else if (kind < 97) {
            sweep();
        } else {
            clock_.advance(random_between(random_, 5, 20) * 1s);
        }
    }

    void expect_same() {
        ASSERT_EQ(registry_.size(), entries_.size());
        ASSERT_LE(registry_.size(), kMaxCircuits);
        ASSERT_EQ(registry_.swept_total(), swept_total_);
        for (auto& [name, entry] : entries_) {
            const NamedCircuit* circuit = registry_.find(name);
            ASSERT_NE(circuit, nullptr) << name;
            ASSERT_EQ(circuit, entry.circuit) << "a name never has two circuits";
            ASSERT_EQ(circuit->breaker().options(), entry.options);
            const CircuitStatus actual = circuit->breaker().status(now());
            const CircuitStatus expected = status(entry);
            ASSERT_TRUE(fields_of(actual) == fields_of(expected))
                << text_of(actual) << "\nexpected " << text_of(expected);
        }
    }

private:
    struct Entry {
        const NamedCircuit* circuit;
        CircuitBreakerOptions options;
        CircuitModel live;
        std::optional<TimePoint> last_used = std::nullopt;
        std::optional<TimePoint> swept_use = std::nullopt;  // the last one that a sweep has seen
    };
    struct Call {
        std::string name;
        CircuitBreaker::Permit permit;
        CircuitModel::Admission model;
    };

    [[nodiscard]] TimePoint now() const { return clock_.now(); }

    [[nodiscard]] CircuitStatus status(const Entry& entry) const {
        CircuitModel model = entry.live;
        model.pass_time(now());
        return model.status(now());
    }

    [[nodiscard]] bool is_held(const std::string& name) const {
        return std::any_of(held_.begin(), held_.end(),
                           [&](const CircuitHandle& handle) { return handle->name() == name; });
    }

    std::size_t sweep_model() {
        std::size_t swept = 0;
        for (auto place = entries_.begin(); place != entries_.end();) {
            const std::string name = place->first;
            Entry& entry = (place++)->second;
            const CircuitStatus seen = status(entry);
            const bool idle = !entry.last_used ||
                              now() - *entry.last_used >= std::max(kIdle, entry.options.window);
            if (!idle || seen.state != CircuitState::closed || seen.mode != CircuitMode::normal ||
                seen.permits_outstanding != 0) {
                continue;
            }
            if (!is_held(name)) {
                entries_.erase(name);
                ++swept;
            } else if (entry.last_used != entry.swept_use) {
                entry.swept_use = entry.last_used;
                entry.live.pass_time(now());
                entry.live.reset(now());
                ++swept;
            }
        }
        swept_total_ += swept;
        return swept;
    }

    void get(const std::string& name) {
        auto handle = registry_.get(name, now());
        if (!entries_.contains(name)) {
            if (entries_.size() == kMaxCircuits && now() >= next_sweep_) {
                sweep_model();
                next_sweep_ = now() + 1s;
            }
            const bool has_room = entries_.size() < kMaxCircuits;
            ASSERT_EQ(handle.has_value(), has_room);
            if (!has_room) {
                return;
            }
            const auto found = configured_.find(name);
            const auto options = found != configured_.end() ? found->second : figures(2);
            entries_.emplace(name, Entry{.circuit = handle->get(),
                                         .options = options,
                                         .live = CircuitModel{options, 0}});
        }
        ASSERT_TRUE(handle.has_value());
        if (chance(random_, 0.5)) {
            held_.push_back(*handle);
        }
    }

    void release() {
        if (!held_.empty()) {
            std::swap(held_[random_between(random_, std::size_t{0}, held_.size() - 1)],
                      held_.back());
            held_.pop_back();
        }
    }

    /// Returns the circuit of a random handle.
    std::pair<NamedCircuit*, Entry*> pick() {
        if (held_.empty()) {
            return {nullptr, nullptr};
        }
        NamedCircuit& circuit = *held_[random_between(random_, std::size_t{0}, held_.size() - 1)];
        return {&circuit, &entries_.at(std::string{circuit.name()})};
    }

    void acquire() {
        const auto [circuit, entry] = pick();
        if (circuit == nullptr) {
            return;
        }
        auto admission = circuit->breaker().try_acquire(now());
        entry->live.pass_time(now());
        entry->last_used = now();
        const auto refusal = entry->live.refusal(now());
        ASSERT_EQ(admission.has_value(), !refusal.has_value());
        if (admission) {
            calls_.push_back({std::string{circuit->name()}, std::move(*admission),
                              entry->live.acquire(now(), std::nullopt)});
        }
    }

    void finish_call() {
        if (calls_.empty()) {
            return;
        }
        std::swap(calls_[random_between(random_, std::size_t{0}, calls_.size() - 1)],
                  calls_.back());
        Call call = std::move(calls_.back());
        calls_.pop_back();
        Entry& entry = entries_.at(call.name);
        if (chance(random_, 0.2)) {
            call.permit.drop();
            entry.live.drop(call.model);
            return;
        }
        const auto outcome = chance(random_, 0.5) ? Outcome::failure : Outcome::success;
        call.permit.settle(outcome, now());
        entry.live.settle(call.model, outcome, now());
        entry.last_used = now();
    }

    void set_mode() {
        const auto [circuit, entry] = pick();
        if (circuit != nullptr) {
            const auto mode = chance(random_, 0.7) ? CircuitMode::normal : CircuitMode::forced_open;
            circuit->breaker().set_mode(mode, now());
            entry->live.pass_time(now());
            entry->live.set_mode(mode);
        }
    }

    void configure(const std::string& name) {
        const auto options = figures(random_between(random_, 1U, 4U));
        const bool has_room = configured_.contains(name) || configured_.size() < kMaxCircuits;
        ASSERT_EQ(registry_.configure(name, options, now()).has_value(), has_room);
        if (!has_room) {
            return;
        }
        configured_.insert_or_assign(name, options);
        if (const auto found = entries_.find(name); found != entries_.end()) {
            found->second.options = options;
            found->second.live.pass_time(now());
            found->second.live.reconfigure(options, now());
        }
    }

    void sweep() { ASSERT_EQ(registry_.sweep(now()), sweep_model()); }

    std::mt19937_64& random_;
    ManualClock clock_;
    CircuitRegistry registry_;
    std::vector<CircuitHandle> held_;
    std::vector<Call> calls_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, CircuitBreakerOptions> configured_;
    std::uint64_t swept_total_ = 0;
    TimePoint next_sweep_ = TimePoint::min();
};

TEST(CircuitRegistryModelTest, BehavesAsAPlainMapUnderRandomOperations) {
    for_each_seed(1'000, [](std::mt19937_64& random) {
        RegistryPair pair{random};
        for (int step = 0; step < 120 && !::testing::Test::HasFailure(); ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            pair.step();
            pair.expect_same();
        }
    });
}

}  // namespace
}  // namespace holdfast::resilience
