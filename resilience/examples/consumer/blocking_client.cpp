// A plain blocking program with a circuit breaker and retries around something that may fail.

#include <chrono>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include <holdfast/resilience/retry_sequence.hpp>
#include <holdfast/resilience/shared_circuit_breaker.hpp>

namespace resilience = holdfast::resilience;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Stands for your network call: fails the first two times.
static std::optional<std::string> fetch() {
    static int calls = 0;
    return ++calls <= 2 ? std::nullopt : std::optional<std::string>{"hello"};
}

int main() {
    const auto circuit =
        resilience::SharedCircuitBreaker::make({.failure_threshold = 5, .open_for = 30s});
    const resilience::RetryPolicy retry_policy{{.max_attempts = 3, .transient = {.base = 10ms}}};
    const auto deadline = resilience::Deadline::after(Clock::now(), 2s);
    std::mt19937_64 generator{std::random_device{}()};

    resilience::RetrySequence attempts{retry_policy, /*safe_to_repeat=*/true};
    while (true) {
        auto permit = circuit->try_acquire(Clock::now(), deadline);
        if (!permit) {
            std::cout << "refused: " << name_of(permit.error().reason) << "\n";
            return 1;
        }
        attempts.on_attempt();
        if (const auto answer = fetch()) {
            permit->settle(resilience::Outcome::success, Clock::now());
            std::cout << *answer << " after " << attempts.attempts() << " attempts\n";
            return 0;
        }
        permit->settle(resilience::Outcome::failure, Clock::now());
        const auto delay = attempts.on_failure({}, deadline, Clock::now(), generator);
        if (!delay) {
            std::cout << "given up: " << name_of(delay.error()) << "\n";
            return 1;
        }
        std::this_thread::sleep_for(*delay);
    }
}
