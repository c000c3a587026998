#pragma once

// The figures of the four presets as options of this library. A preset sets everything it needs:
// trips by rate, growing open times and jitter are off, and a requested wait of the downstream does
// not extend the delays of its table.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/retry_sequence.hpp"

namespace holdfast::resilience::testing {

struct CircuitFigures {
    std::uint32_t failures;
    std::uint32_t successes;
    Duration open_for;
    std::uint32_t probes = 1;
};

[[nodiscard]] inline CircuitBreakerOptions circuit_with(const CircuitFigures& figures) {
    CircuitBreakerOptions options;
    options.failure_threshold = figures.failures;
    options.failure_rate = std::nullopt;
    options.open_for = figures.open_for;
    options.open_growth = 1.0;
    options.open_jitter = 0.0;
    options.probe_limit = figures.probes;
    options.successes_to_close = figures.successes;
    return options;
}

struct RetryFigures {
    std::uint32_t attempts;
    Duration base;
    double multiplier;
    Duration cap;
};

[[nodiscard]] inline RetryOptions retries_with(const RetryFigures& figures) {
    const BackoffOptions delays{.base = figures.base,
                                .multiplier = figures.multiplier,
                                .cap = figures.cap,
                                .jitter = Jitter::none};
    return {.max_attempts = figures.attempts,
            .transient = delays,
            .throttled = delays,
            .retry_after_slack = Duration::zero()};
}

[[nodiscard]] inline RetryOptions no_retries() {
    return {.max_attempts = 1};
}

/// Returns pipeline options in which only the whole call has a timeout.
[[nodiscard]] inline PipelineOptions pipeline_with(Duration timeout, const RetryOptions& retry) {
    return {.timeout = timeout, .attempt_timeout = timeout, .retry = retry};
}

namespace gitnexus {

[[nodiscard]] inline PipelineOptions quick() {
    return pipeline_with(std::chrono::seconds{60}, no_retries());
}

[[nodiscard]] inline PipelineOptions heavy() {
    return pipeline_with(std::chrono::seconds{120}, no_retries());
}

[[nodiscard]] inline CircuitBreakerOptions circuit() {
    return circuit_with({.failures = 5, .successes = 1, .open_for = std::chrono::seconds{30}});
}

[[nodiscard]] inline BackoffOptions reconnect() {
    return {.base = std::chrono::milliseconds{500},
            .multiplier = 2.0,
            .cap = std::chrono::seconds{60},
            .jitter = Jitter::proportional,
            .jitter_ratio = 0.15};
}

}  // namespace gitnexus

namespace octocode {

enum class Category { github, lsp, package, local, other };

enum class ErrorClass {
    rate_limited,
    server_error,
    timeout,
    lsp_not_ready,
    connection_refused,
    file_busy,
    unclassified,
};

inline constexpr std::array kErrorClasses{
    ErrorClass::rate_limited,  ErrorClass::server_error,       ErrorClass::timeout,
    ErrorClass::lsp_not_ready, ErrorClass::connection_refused, ErrorClass::file_busy,
    ErrorClass::unclassified};

[[nodiscard]] inline CircuitBreakerOptions default_circuit() {
    return circuit_with({.failures = 3, .successes = 2, .open_for = std::chrono::seconds{30}});
}

struct NamedFigures {
    std::string_view name;
    CircuitFigures figures;
};

inline constexpr std::array<NamedFigures, 7> kCircuits{{
    {"github:search", {.failures = 2, .successes = 1, .open_for = std::chrono::seconds{60}}},
    {"github:content", {.failures = 3, .successes = 1, .open_for = std::chrono::seconds{30}}},
    {"github:pulls", {.failures = 3, .successes = 1, .open_for = std::chrono::seconds{30}}},
    {"lsp:navigation", {.failures = 3, .successes = 2, .open_for = std::chrono::seconds{30}}},
    {"lsp:hierarchy", {.failures = 2, .successes = 2, .open_for = std::chrono::seconds{30}}},
    {"local", {.failures = 3, .successes = 1, .open_for = std::chrono::seconds{15}}},
    {"package", {.failures = 3, .successes = 1, .open_for = std::chrono::seconds{30}}},
}};

/// Returns the default figures for a circuit without its own.
[[nodiscard]] inline CircuitBreakerOptions circuit(std::string_view name) {
    const auto* const row = std::ranges::find(kCircuits, name, &NamedFigures::name);
    return row == kCircuits.end() ? default_circuit() : circuit_with(row->figures);
}

[[nodiscard]] inline PipelineOptions pipeline(Category category) {
    using std::chrono::milliseconds;
    using std::chrono::seconds;
    switch (category) {
        case Category::github:
            return pipeline_with(seconds{60}, retries_with({3, seconds{1}, 3.0, seconds{30}}));
        case Category::lsp:
            return pipeline_with(seconds{30},
                                 retries_with({3, milliseconds{500}, 2.0, seconds{5}}));
        case Category::package:
            return pipeline_with(seconds{30}, retries_with({3, seconds{1}, 2.0, seconds{15}}));
        case Category::local:
            return pipeline_with(seconds{30},
                                 retries_with({2, milliseconds{100}, 2.0, seconds{1}}));
        case Category::other:
            break;
    }
    return pipeline_with(seconds{30}, no_retries());
}

[[nodiscard]] inline bool is_retried(Category category, ErrorClass error) {
    switch (category) {
        case Category::github:
        case Category::package:
            return error == ErrorClass::rate_limited || error == ErrorClass::server_error ||
                   error == ErrorClass::timeout;
        case Category::lsp:
            return error == ErrorClass::lsp_not_ready || error == ErrorClass::timeout ||
                   error == ErrorClass::connection_refused;
        case Category::local:
            return error == ErrorClass::file_busy || error == ErrorClass::timeout;
        case Category::other:
            break;
    }
    return false;
}

/// Ends an attempt of a tool of that category with that error. Every error counts.
[[nodiscard]] inline AttemptEnd ended_by(Category category, ErrorClass error) {
    AttemptFailure failure;
    failure.delivery =
        error == ErrorClass::connection_refused ? Delivery::not_sent : Delivery::answered;
    if (!is_retried(category, error)) {
        failure.kind = FailureKind::permanent;
    } else if (error == ErrorClass::rate_limited) {
        failure.kind = FailureKind::throttled;
    }
    return {.outcome = Outcome::failure, .failure = failure};
}

}  // namespace octocode

namespace commontrace {

[[nodiscard]] inline PipelineOptions read() {
    return pipeline_with(std::chrono::milliseconds{200}, no_retries());
}

[[nodiscard]] inline PipelineOptions write() {
    return pipeline_with(std::chrono::seconds{2}, no_retries());
}

[[nodiscard]] inline CircuitBreakerOptions circuit() {
    return circuit_with({.failures = 5, .successes = 1, .open_for = std::chrono::seconds{30}});
}

[[nodiscard]] inline AttemptEnd connection_refused() {
    return {.outcome = Outcome::failure, .failure = AttemptFailure{.delivery = Delivery::not_sent}};
}

[[nodiscard]] inline AttemptEnd server_error() {
    return {.outcome = Outcome::failure, .failure = AttemptFailure{.delivery = Delivery::answered}};
}

[[nodiscard]] inline AttemptEnd client_error() {
    return {
        .outcome = Outcome::neutral,
        .failure = AttemptFailure{.kind = FailureKind::permanent, .delivery = Delivery::answered}};
}

}  // namespace commontrace

namespace ucp {

/// The attempts limit the call: three of them and their waits fit into its timeout.
[[nodiscard]] inline PipelineOptions pipeline() {
    using std::chrono::seconds;
    PipelineOptions options =
        pipeline_with(seconds{120}, retries_with({3, seconds{1}, 2.0, seconds{60}}));
    options.attempt_timeout = seconds{30};
    options.counts = CircuitCounts::attempt;
    return options;
}

[[nodiscard]] inline CircuitBreakerOptions circuit() {
    return circuit_with(
        {.failures = 5, .successes = 3, .open_for = std::chrono::seconds{60}, .probes = 3});
}

[[nodiscard]] inline BackoffOptions reconnect() {
    return {.base = std::chrono::seconds{1},
            .multiplier = 2.0,
            .cap = std::chrono::seconds{60},
            .jitter = Jitter::none};
}

}  // namespace ucp

}  // namespace holdfast::resilience::testing
