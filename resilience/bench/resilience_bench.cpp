// The cost of the policies per call. Every line prints nanoseconds and allocations for one round:
// one admission with its settlement, one refusal, one call through the pipeline, one lookup. The
// time is passed in unless a line says "clock reads"; those lines show the cost of reading it.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "allocation_count.hpp"
#include "holdfast/resilience/circuit_registry.hpp"
#include "holdfast/resilience/shared_circuit_breaker.hpp"
#include "holdfast/resilience/shared_pipeline.hpp"

namespace holdfast::resilience::bench {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1h};
constexpr Duration kStep = 1us;  // between two rounds, so that windows roll as in production

/// Runs rounds and adds the counters that every line of the table has.
template <class Round>
void run_rounds(benchmark::State& state, Round&& round) {
    TimePoint now = kStart;
    round(now);  // first-use allocations happen here
    const std::uint64_t before = allocation_count();
    for (auto unused : state) {
        now += kStep;
        round(now);
    }
    const auto allocations = static_cast<double>(allocation_count() - before);
    state.counters["allocations"] =
        benchmark::Counter{allocations, benchmark::Counter::kAvgIterations};
}

TimePoint clock_read() {
    return std::chrono::steady_clock::now();
}

void expect(bool holds) {
    if (!holds) {
        std::abort();  // a benchmark that measures something else is worse than none
    }
}

void clock_reads(benchmark::State& state) {
    run_rounds(state, [](TimePoint) {
        benchmark::DoNotOptimize(clock_read());
        benchmark::DoNotOptimize(clock_read());
    });
}
BENCHMARK(clock_reads)->Name("clock reads alone (two)");

void breaker_closed(benchmark::State& state) {
    CircuitBreaker breaker;
    run_rounds(state, [&](TimePoint now) {
        auto permit = breaker.try_acquire(now);
        permit->settle(Outcome::success, now);
        benchmark::DoNotOptimize(permit);
    });
}
BENCHMARK(breaker_closed)->Name("breaker, closed");

void breaker_closed_shared(benchmark::State& state) {
    const auto breaker = SharedCircuitBreaker::make();
    run_rounds(state, [&](TimePoint now) {
        auto permit = breaker->try_acquire(now);
        permit->settle(Outcome::success, now);
    });
}
BENCHMARK(breaker_closed_shared)->Name("breaker, closed, shared");

void breaker_refusal(benchmark::State& state) {
    CircuitBreaker breaker{{.failure_threshold = 1, .open_for = 24h, .max_open_for = 24h}};
    breaker.try_acquire(kStart)->settle(Outcome::failure, kStart);
    run_rounds(state, [&](TimePoint now) {
        const auto refused = breaker.try_acquire(now);
        expect(!refused);
        benchmark::DoNotOptimize(refused.error().retry_after);
    });
}
BENCHMARK(breaker_refusal)->Name("breaker, refusal");

void pipeline_unshared(benchmark::State& state) {
    const PipelinePolicy policy;
    CircuitBreaker circuit;
    Bulkhead bulkhead;
    RetryBudget budget;
    RateLimiter limiter{{.permits = 1'000'000'000, .per = 1s, .burst = 1'000}};
    const PipelineParts parts{.name = "bench",
                              .limiter = &limiter,
                              .circuit = &circuit,
                              .bulkhead = &bulkhead,
                              .budget = &budget};
    std::minstd_rand generator;
    run_rounds(state, [&](TimePoint now) {
        PipelineCall call{policy, parts, {}};
        expect(std::holds_alternative<StartAttempt>(call.start(now)));
        const PipelineStep end = call.on_attempt_end({}, now, generator);
        expect(std::get<CallVerdict>(end).ending == CallEnding::answered);
    });
}
BENCHMARK(pipeline_unshared)->Name("pipeline, all parts");

PipelineSetup full_setup() {
    return {.name = "bench",
            .options = {},
            .limiter = RateLimiterOptions{.permits = 1'000'000'000, .per = 1s, .burst = 1'000}};
}

void pipeline_shared(benchmark::State& state) {
    const auto pipeline = SharedPipeline::make(full_setup());
    std::minstd_rand generator;
    run_rounds(state, [&](TimePoint now) {
        auto call = pipeline->call({});
        expect(std::holds_alternative<StartAttempt>(call.start(now)));
        const PipelineStep end = call.on_attempt_end({}, now, generator);
        expect(std::get<CallVerdict>(end).ending == CallEnding::answered);
    });
}
BENCHMARK(pipeline_shared)->Name("pipeline, all parts, shared");

void pipeline_shared_with_clock(benchmark::State& state) {
    const auto pipeline = SharedPipeline::make(full_setup());
    std::minstd_rand generator;
    run_rounds(state, [&](TimePoint) {
        auto call = pipeline->call({});
        expect(std::holds_alternative<StartAttempt>(call.start(clock_read())));
        const PipelineStep end = call.on_attempt_end({}, clock_read(), generator);
        expect(std::get<CallVerdict>(end).ending == CallEnding::answered);
    });
}
BENCHMARK(pipeline_shared_with_clock)->Name("pipeline, all parts, shared, clock reads");

void pipeline_refusal(benchmark::State& state) {
    const auto pipeline =
        SharedPipeline::make({.name = "bench",
                              .options = {},
                              .circuit = CircuitBreakerOptions{
                                  .failure_threshold = 1, .open_for = 24h, .max_open_for = 24h}});
    pipeline->with([](const PipelineParts& parts) {
        parts.circuit->try_acquire(kStart)->settle(Outcome::failure, kStart);
    });
    run_rounds(state, [&](TimePoint now) {
        auto call = pipeline->call({});
        const PipelineStep end = call.start(now);
        expect(std::get<CallVerdict>(end).ending == CallEnding::refused);
    });
}
BENCHMARK(pipeline_refusal)->Name("pipeline, shared, circuit open");

/// A registry, and lookups in random order that are adjacent in memory: a caller already has the
/// name, so fetching it is not a part of the lookup.
struct FilledRegistry {
    explicit FilledRegistry(std::int64_t circuit_count) {
        constexpr std::size_t kQuestions = 1U << 14U;
        std::mt19937_64 generator{1};
        std::vector<std::string> names;
        for (std::int64_t index = 0; index < circuit_count; ++index) {
            names.push_back("server-" + std::to_string(generator()) + ":tool");
            kept.push_back(*registry.get(names.back(), kStart));
        }
        for (std::size_t index = 0; index < kQuestions; ++index) {
            const std::size_t circuit = generator() % names.size();
            questions.push_back(names[circuit]);
            handles.push_back(kept[circuit]);
        }
    }

    CircuitRegistry registry;
    std::vector<CircuitHandle> kept;
    std::vector<std::string> questions;
    std::vector<CircuitHandle> handles;
};

void registry_by_name(benchmark::State& state) {
    const FilledRegistry filled{state.range(0)};
    std::size_t round = 0;
    run_rounds(state, [&](TimePoint) {
        const std::string& name = filled.questions[round++ % filled.questions.size()];
        NamedCircuit* circuit = filled.registry.find(name);
        expect(circuit != nullptr);
        benchmark::DoNotOptimize(circuit);
    });
}
BENCHMARK(registry_by_name)->Name("registry, by name")->Arg(10)->Arg(10'000);

void registry_by_handle(benchmark::State& state) {
    const FilledRegistry filled{state.range(0)};
    std::size_t round = 0;
    run_rounds(state, [&](TimePoint) {
        const CircuitHandle& handle = filled.handles[round++ % filled.handles.size()];
        benchmark::DoNotOptimize(&handle->breaker());
    });
}
BENCHMARK(registry_by_handle)->Name("registry, by handle")->Arg(10)->Arg(10'000);

}  // namespace
}  // namespace holdfast::resilience::bench
