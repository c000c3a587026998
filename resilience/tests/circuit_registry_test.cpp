#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/circuit_registry.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_observer.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::admitted;
using testing::call;
using testing::call_times;
using testing::ManualClock;
using testing::plain_options;
using testing::RecordingObserver;
using testing::trip;

constexpr Duration kIdle = 60s;

CircuitRegistryOptions small_registry(std::size_t max_circuits = 2) {
    CircuitRegistryOptions options;
    options.defaults = plain_options();
    options.max_circuits = max_circuits;
    options.idle_after = kIdle;
    return options;
}

void use(CircuitRegistry& registry, std::string_view name, TimePoint now) {
    call(registry.get(name, now).value()->breaker(), Outcome::success, now);
}

TEST(CircuitRegistryTest, MakesOneCircuitForAName) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};

    const auto first = registry.get("files", clock.now()).value();
    const auto again = registry.get("files", clock.now()).value();
    const auto other = registry.get("mail", clock.now()).value();

    EXPECT_EQ(first, again);
    EXPECT_NE(first, other);
    EXPECT_EQ(first->name(), "files");
    EXPECT_EQ(first->breaker().name(), "files");
    EXPECT_EQ(registry.size(), 2U);
}

TEST(CircuitRegistryTest, FindNeverMakesACircuit) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    const auto known = registry.get("files", clock.now()).value();

    EXPECT_EQ(registry.find("files"), known.get());
    EXPECT_EQ(registry.find("mail"), nullptr);
    EXPECT_EQ(registry.size(), 1U);
}

TEST(CircuitRegistryTest, VisitsEveryCircuit) {
    ManualClock clock;
    CircuitRegistry registry{small_registry(3)};
    use(registry, "files", clock.now());
    use(registry, "mail", clock.now());
    std::vector<std::string> names;

    registry.for_each([&](const NamedCircuit& circuit) { names.emplace_back(circuit.name()); });

    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"files", "mail"}));
}

TEST(CircuitRegistryTest, RefusesNewCircuitsWhenFull) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    use(registry, "files", clock.now());
    use(registry, "mail", clock.now());

    const auto refused = registry.get("search", clock.now());

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), (Error{Errc::limit_reached,
                                      "registry.max_circuits (2) circuits are in use; cannot add "
                                      "\"search\""}));
    EXPECT_EQ(registry.size(), 2U);
    EXPECT_TRUE(registry.get("files", clock.now()).has_value()) << "known names still work";
}

TEST(CircuitRegistryTest, AcceptsNewNamesWhenOthersAreIdle) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    use(registry, "files", clock.now());
    use(registry, "mail", clock.now());

    clock.advance(kIdle - 1ns);
    EXPECT_FALSE(registry.get("search", clock.now()).has_value());
    clock.advance(1s);

    EXPECT_TRUE(registry.get("search", clock.now()).has_value());
    EXPECT_EQ(registry.size(), 1U);
    EXPECT_EQ(registry.swept_total(), 2U);
}

TEST(CircuitRegistryTest, SweepsForNewNamesAtMostOnceASecond) {
    ManualClock clock;
    CircuitRegistry registry{small_registry(1)};
    use(registry, "files", clock.now());
    clock.advance(kIdle - 400ms);
    EXPECT_FALSE(registry.get("mail", clock.now()).has_value());

    clock.advance(1s - 1ns);
    EXPECT_FALSE(registry.get("mail", clock.now()).has_value());
    clock.advance(1ns);

    EXPECT_TRUE(registry.get("mail", clock.now()).has_value());
}

TEST(CircuitRegistryTest, DoesNotSweepCircuitsWithHandles) {
    ManualClock clock;
    CircuitRegistry registry{small_registry(1)};
    auto held = registry.get("files", clock.now()).value();

    clock.advance(24h);
    EXPECT_FALSE(registry.get("mail", clock.now()).has_value());
    held.reset();
    clock.advance(1s);

    EXPECT_TRUE(registry.get("mail", clock.now()).has_value());
}

struct SweepCase {
    const char* what;
    std::function<std::optional<CircuitBreaker::Permit>(CircuitBreaker&, TimePoint)> prepare;
    bool is_swept;
};

TEST(CircuitRegistryTest, SweepsIdleClosedCircuitsInNormalModeOnly) {
    const SweepCase cases[] = {
        {"never used", [](auto&, auto) { return std::nullopt; }, true},
        {"answered",
         [](auto& breaker, auto now) {
             call_times(breaker, 2, Outcome::failure, now);
             return std::nullopt;
         },
         true},
        {"permit outstanding",
         [](auto& breaker, auto now) { return std::optional{admitted(breaker, now)}; }, false},
        {"open",
         [](auto& breaker, auto now) {
             trip(breaker, now);
             return std::nullopt;
         },
         false},
        {"half-open",
         [](auto& breaker, auto now) {
             trip(breaker, now - 10s);
             call(breaker, Outcome::success, now);
             return std::nullopt;
         },
         false},
        {"forced open",
         [](auto& breaker, auto now) {
             breaker.set_mode(CircuitMode::forced_open, now);
             return std::nullopt;
         },
         false},
        {"disabled",
         [](auto& breaker, auto now) {
             breaker.set_mode(CircuitMode::disabled, now);
             return std::nullopt;
         },
         false},
        {"metrics only",
         [](auto& breaker, auto now) {
             breaker.set_mode(CircuitMode::metrics_only, now);
             return std::nullopt;
         },
         false},
        {"used just now",
         [](auto& breaker, auto now) {
             call(breaker, Outcome::success, now + 1ns);
             return std::nullopt;
         },
         false},
        {"restored just now",
         [](auto& breaker, auto now) {
             CircuitSnapshot snapshot;
             snapshot.consecutive_failures = 2;
             EXPECT_TRUE(breaker.restore(snapshot, now + 1ns).has_value());
             return std::nullopt;
         },
         false},
    };
    for (const auto& [what, prepare, is_swept] : cases) {
        SCOPED_TRACE(what);
        ManualClock clock;
        CircuitRegistry registry{small_registry()};
        NamedCircuit& circuit = *registry.get("files", clock.now()).value();
        const auto permit = prepare(circuit.breaker(), clock.now());

        clock.advance(kIdle);
        const std::size_t swept = registry.sweep(clock.now());

        EXPECT_EQ(swept, is_swept ? 1U : 0U);
        EXPECT_EQ(registry.find("files") == nullptr, is_swept);
        EXPECT_EQ(registry.swept_total(), swept);
    }
}

TEST(CircuitRegistryTest, KeepsCountsForAFullWindowEvenIfTheIdleTimeIsShorter) {
    ManualClock clock;
    auto options = small_registry();
    options.idle_after = 1s;
    CircuitRegistry registry{options};
    use(registry, "files", clock.now());

    clock.advance(30s - 1ns);
    EXPECT_EQ(registry.sweep(clock.now()), 0U);
    clock.advance(1ns);

    EXPECT_EQ(registry.sweep(clock.now()), 1U);
}

TEST(CircuitRegistryTest, SweepsByTheWindowOfEachCircuit) {
    ManualClock clock;
    auto options = small_registry();
    options.idle_after = 1s;
    CircuitRegistry registry{options};
    auto longer = plain_options();
    longer.window = 600s;
    ASSERT_TRUE(registry.configure("files", longer, clock.now()).has_value());
    use(registry, "files", clock.now());

    clock.advance(600s - 1ns);

    EXPECT_EQ(registry.sweep(clock.now()), 0U);
    EXPECT_EQ(registry.sweep(clock.now() + 1ns), 1U);
}

TEST(CircuitRegistryTest, HandleStaysTheOnlyCircuitOfItsNameAfterASweep) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    const auto held = registry.get("files", clock.now()).value();
    call_times(held->breaker(), 2, Outcome::failure, clock.now());
    clock.advance(kIdle);

    EXPECT_EQ(registry.sweep(clock.now()), 1U);
    EXPECT_EQ(registry.sweep(clock.now()), 0U) << "nothing is left of it to sweep";

    EXPECT_EQ(registry.get("files", clock.now()).value(), held);
    EXPECT_EQ(held->breaker().status(clock.now()).consecutive_failures, 0U);
    EXPECT_EQ(&registry.find("files")->breaker(), &held->breaker());
    EXPECT_EQ(registry.swept_total(), 1U);
}

TEST(CircuitRegistryTest, ConfiguredFiguresSurviveASweep) {
    for (const bool is_held : {false, true}) {
        ManualClock clock;
        CircuitRegistry registry{small_registry()};
        auto figures = plain_options();
        figures.failure_threshold = 1;
        ASSERT_TRUE(registry.configure("files", figures, clock.now()).has_value());
        auto handle = registry.get("files", clock.now()).value();
        call_times(handle->breaker(), 1, Outcome::success, clock.now());
        if (!is_held) {
            handle.reset();
        }
        clock.advance(kIdle);
        ASSERT_EQ(registry.sweep(clock.now()), 1U);

        const auto again = registry.get("files", clock.now()).value();

        EXPECT_EQ(again->breaker().options(), figures);
    }
}

TEST(CircuitRegistryTest, BreakerOfAHandleDoesNotMove) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    const auto held = registry.get("files", clock.now()).value();
    CircuitBreaker& breaker = held->breaker();
    call_times(breaker, 1, Outcome::failure, clock.now());
    clock.advance(kIdle);
    ASSERT_EQ(registry.sweep(clock.now()), 1U);

    call_times(breaker, 1, Outcome::failure, clock.now());

    EXPECT_EQ(&held->breaker(), &breaker);
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 1U);
}

TEST(CircuitRegistryTest, RejectsInvalidOptionsWithoutChanges) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    const auto held = registry.get("files", clock.now()).value();
    const CircuitBreakerOptions before = held->breaker().options();
    auto bad = plain_options();
    bad.open_for = -1s;

    const auto result = registry.configure("files", bad, clock.now());

    ASSERT_FALSE(result.has_value());
    EXPECT_TRUE(result.error().message.starts_with("circuit.open_for")) << result.error().message;
    EXPECT_EQ(held->breaker().options(), before);
}

TEST(CircuitRegistryTest, ConfigureReachesALiveCircuitWithoutLosingItsState) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    const auto handle = registry.get("files", clock.now()).value();
    call_times(handle->breaker(), 2, Outcome::failure, clock.now());
    auto figures = plain_options();
    figures.failure_threshold = 4;

    ASSERT_TRUE(registry.configure("files", figures, clock.now()).has_value());

    EXPECT_EQ(handle->breaker().options(), figures);
    EXPECT_EQ(handle->breaker().status(clock.now()).consecutive_failures, 2U);
    EXPECT_EQ(registry.get("mail", clock.now()).value()->breaker().options(), plain_options());
}

TEST(CircuitRegistryTest, LimitsConfiguredNames) {
    ManualClock clock;
    CircuitRegistry registry{small_registry()};
    ASSERT_TRUE(registry.configure("files", plain_options(), clock.now()).has_value());
    ASSERT_TRUE(registry.configure("mail", plain_options(), clock.now()).has_value());
    auto figures = plain_options();
    figures.failure_threshold = 1;

    const auto refused = registry.configure("search", figures, clock.now());

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, Errc::limit_reached);
    EXPECT_NE(refused.error().message.find("registry.max_circuits (2)"), std::string::npos);
    EXPECT_NE(refused.error().message.find("\"search\""), std::string::npos);
    EXPECT_EQ(registry.get("search", clock.now()).value()->breaker().options(), plain_options());
    EXPECT_TRUE(registry.configure("mail", figures, clock.now()).has_value());
    EXPECT_EQ(registry.size(), 1U) << "figures alone make no circuit";
}

TEST(CircuitRegistryTest, ObserverReceivesTheNameOfTheCircuit) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitRegistry registry{small_registry(), &observer};

    trip(registry.get("mail", clock.now()).value()->breaker(), clock.now());

    ASSERT_EQ(observer.transitions.size(), 1U);
    EXPECT_EQ(observer.transitions[0].first, "mail");
}

TEST(CircuitRegistryTest, CircuitsOfOneRegistryOpenForDifferentTimes) {
    ManualClock clock;
    auto options = small_registry();
    options.defaults.open_jitter = 0.5;
    const auto open_time = [&](std::string_view name, std::uint64_t seed) {
        options.jitter_seed = seed;
        CircuitRegistry registry{options};
        CircuitBreaker& breaker = registry.get(name, clock.now()).value()->breaker();
        trip(breaker, clock.now());
        return breaker.status(clock.now()).retry_after.value();
    };

    EXPECT_EQ(open_time("files", 1), open_time("files", 1));
    EXPECT_NE(open_time("files", 1), open_time("mail", 1));
    EXPECT_NE(open_time("files", 1), open_time("files", 2));
}

}  // namespace
}  // namespace holdfast::resilience
