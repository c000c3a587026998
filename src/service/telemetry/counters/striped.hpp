#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::telemetry {

/// A value in several parts, each with its own lock. A thread always writes to the same part, so
/// threads rarely contend; a reader visits all parts in turn.
///
/// Thread-safety: from any thread.
template <class Part>
class Striped final {
public:
    static constexpr std::size_t kPartCount = 16;

    /// Uses the part of this thread.
    template <class Use>
    auto with_own(Use&& use) {
        thread_local const std::size_t own =
            std::hash<std::thread::id>{}(std::this_thread::get_id());
        return stripes_[own % kPartCount].part.with(std::forward<Use>(use));
    }
    template <class Use>
    void with_each(Use&& use) {
        for (Stripe& stripe : stripes_) {
            stripe.part.with(use);
        }
    }
    template <class Use>
    void with_each(Use&& use) const {
        for (const Stripe& stripe : stripes_) {
            stripe.part.with(use);
        }
    }

private:
    static constexpr std::size_t kCacheLineBytes = 64;
    struct alignas(kCacheLineBytes) Stripe {
        resilience::Synchronized<Part> part;
    };

    std::array<Stripe, kPartCount> stripes_;
};

}  // namespace holdfast::telemetry
