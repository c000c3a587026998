#pragma once

#include <chrono>

#include "holdfast/resilience/time.hpp"

namespace holdfast::config {

/// Both ends are allowed.
template <class Value>
struct Range {
    Value min;
    Value max;
};

// The ranges of nearly all durations in a config.
inline constexpr Range<resilience::Duration> kPositiveDuration = {
    .min = std::chrono::milliseconds{1}, .max = std::chrono::hours{24}};
inline constexpr Range<resilience::Duration> kAnyDuration = {.min = resilience::Duration::zero(),
                                                             .max = std::chrono::hours{24}};

}  // namespace holdfast::config
