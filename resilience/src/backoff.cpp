#include "holdfast/resilience/backoff.hpp"

#include <algorithm>

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/detail/scaled_duration.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

Result<BackoffOptions> validated(const BackoffOptions& options, std::string_view policy) {
    constexpr double kLargestMultiplier = 1e6;
    return detail::OptionCheck{policy}
        .not_negative("base", options.base)
        .within("multiplier", options.multiplier, 1.0, kLargestMultiplier)
        .not_below("cap", options.cap, "base", options.base)
        .within("jitter_ratio", options.jitter_ratio, 0.0, 1.0)
        .result(options);
}

Backoff::Backoff(const BackoffOptions& options) : options_(options) {
    HOLDFAST_EXPECT(validated(options).has_value());
}

Duration Backoff::computed(std::uint32_t failed_attempts) const noexcept {
    const std::uint32_t steps = failed_attempts > 0 ? failed_attempts - 1 : 0;
    return detail::grown_duration(options_.base, options_.multiplier, steps, options_.cap);
}

Duration Backoff::jittered(std::uint32_t failed_attempts, Duration previous,
                           double chance) const noexcept {
    const Duration delay = computed(failed_attempts);
    switch (options_.jitter) {
        case Jitter::none:
            return delay;
        case Jitter::proportional:
            return detail::scaled_duration(
                delay, 1.0 + options_.jitter_ratio * (2.0 * chance - 1.0), options_.cap);
        case Jitter::full:
            return detail::scaled_duration(delay, chance, options_.cap);
        case Jitter::decorrelated: {
            const Duration low = options_.base;
            const Duration high =
                detail::scaled_duration(std::max(previous, low), 3.0, Duration::max());
            const Duration spread = detail::scaled_duration(high - low, chance, high - low);
            return std::min(low + spread, options_.cap);
        }
    }
    return delay;
}

}  // namespace holdfast::resilience
