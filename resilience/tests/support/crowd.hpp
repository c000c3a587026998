#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::testing {

/// Runs `work(index, generator)` on this number of threads, which begin together, and joins them.
template <class Work>
void run_crowd(std::uint32_t threads, Work&& work) {
    std::latch begin{static_cast<std::ptrdiff_t>(threads)};
    std::vector<std::thread> crowd;
    crowd.reserve(threads);
    for (std::uint32_t index = 0; index < threads; ++index) {
        crowd.emplace_back([&work, &begin, index] {
            std::mt19937_64 random{index + 1};
            begin.arrive_and_wait();
            work(index, random);
        });
    }
    for (std::thread& thread : crowd) {
        thread.join();
    }
}

/// Time that advances by a microsecond at every reading.
///
/// Thread-safety: any thread.
class TickingClock {
public:
    [[nodiscard]] TimePoint now() {
        const auto ticks = ticks_.fetch_add(1, std::memory_order_relaxed);
        return TimePoint{std::chrono::hours{1'000}} + std::chrono::microseconds{ticks};
    }

private:
    std::atomic<std::int64_t> ticks_ = 0;
};

/// Counts how many are inside at the same time, and the maximum.
///
/// Thread-safety: any thread.
class HeadCount {
public:
    void enter() {
        const std::uint32_t inside = inside_.fetch_add(1) + 1;
        std::uint32_t most = most_.load();
        while (inside > most && !most_.compare_exchange_weak(most, inside)) {
        }
    }
    void leave() { inside_.fetch_sub(1); }

    [[nodiscard]] std::uint32_t most() const { return most_.load(); }
    [[nodiscard]] std::uint32_t inside() const { return inside_.load(); }

private:
    std::atomic<std::uint32_t> inside_ = 0;
    std::atomic<std::uint32_t> most_ = 0;
};

}  // namespace holdfast::resilience::testing
