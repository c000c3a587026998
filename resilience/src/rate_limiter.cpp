#include "holdfast/resilience/rate_limiter.hpp"

#include <algorithm>

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/detail/scaled_duration.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {
namespace {

constexpr Duration kLongestPeriod = std::chrono::hours{24 * 366};
constexpr std::uint32_t kMaxBurst = 1'000'000;

/// Rounded up, so that the rate is never exceeded.
Duration interval_of(const RateLimiterOptions& options) {
    return (options.per + Duration{options.permits - 1}) / options.permits;
}

Duration tolerance_of(const RateLimiterOptions& options) {
    return interval_of(options) * (options.burst - 1);
}

RateLimiterOptions checked(const RateLimiterOptions& options) {
    HOLDFAST_EXPECT(validated(options).has_value());
    return options;
}

}  // namespace

Result<RateLimiterOptions> validated(const RateLimiterOptions& options) {
    detail::OptionCheck check{"limiter"};
    check.at_least("permits", options.permits, 1)
        .positive("per", options.per)
        .expect(options.per <= kLongestPeriod, "per must be at most a year")
        .at_least("burst", options.burst, 1)
        .at_most("burst", options.burst, kMaxBurst);
    if (options.permits > 0 && options.per > Duration::zero() && options.per <= kLongestPeriod) {
        check.expect(interval_of(options) <= kLongestPeriod / std::max(options.burst, 1U),
                     "burst must be regained within a year");
    }
    return check.result(options);
}

RateLimiter::RateLimiter(const RateLimiterOptions& options)
    : options_(checked(options)),
      interval_(interval_of(options)),
      tolerance_(tolerance_of(options)) {}

std::optional<Duration> RateLimiter::try_take(TimePoint now) {
    if (const auto wait = wait_at(now)) {
        return wait;
    }
    next_ = saturating_add(std::max(next_, now), interval_);
    return std::nullopt;
}

std::optional<Duration> RateLimiter::wait_at(TimePoint now) const {
    const Duration ahead = elapsed_between(now, next_);
    return ahead > tolerance_ ? std::optional{ahead - tolerance_} : std::nullopt;
}

void RateLimiter::reconfigure(const RateLimiterOptions& options, TimePoint now) {
    HOLDFAST_EXPECT(validated(options).has_value());
    // Counts in permits, including fractions: a reload must not undo the waiting so far.
    const Duration ahead = elapsed_between(now, next_);
    const double used = static_cast<double>(ahead.count()) / static_cast<double>(interval_.count());
    options_ = options;
    interval_ = interval_of(options);
    tolerance_ = tolerance_of(options);
    const Duration most = interval_ + tolerance_;
    next_ = saturating_add(now, detail::scaled_duration(interval_, used, most));
}

}  // namespace holdfast::resilience
