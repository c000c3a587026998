#pragma once

#include <cstdint>
#include <random>
#include <string_view>

#include "holdfast/resilience/detail/random.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// How chance moves a computed delay `d`. The cap holds before and after.
enum class Jitter {
    none,
    proportional,  ///< From d * (1 - ratio) to d * (1 + ratio).
    full,          ///< From 0 to d.
    decorrelated,  ///< From the base to three times the previous delay.
};

struct BackoffOptions {
    Duration base = std::chrono::milliseconds{50};
    double multiplier = 2.0;
    Duration cap = std::chrono::seconds{2};
    Jitter jitter = Jitter::full;
    double jitter_ratio = 0.2;  ///< Used by proportional jitter only.

    friend bool operator==(const BackoffOptions&, const BackoffOptions&) = default;
};

/// The options as they are, or a sentence that names the one to change. `policy` is what the
/// sentence calls the options.
[[nodiscard]] Result<BackoffOptions> validated(const BackoffOptions& options,
                                               std::string_view policy = "backoff");

/// How long to wait before trying again: base * multiplier^n, jittered, never above the cap and
/// never negative, for any n.
///
/// Thread-safety: immutable; the generator is the caller's.
class Backoff {
public:
    /// Requires options that pass `validated`.
    explicit Backoff(const BackoffOptions& options = {});

    /// Without jitter: the wait after `failed_attempts` attempts, which is at least 1.
    [[nodiscard]] Duration computed(std::uint32_t failed_attempts) const noexcept;

    /// With jitter. `previous` is the delay before this one, zero for the first.
    template <std::uniform_random_bit_generator Generator>
    [[nodiscard]] Duration delay(std::uint32_t failed_attempts, Duration previous,
                                 Generator& generator) const {
        const double chance = options_.jitter == Jitter::none
                                  ? 0.0
                                  : detail::unit_interval(detail::random_bits(generator));
        return jittered(failed_attempts, previous, chance);
    }

    [[nodiscard]] const BackoffOptions& options() const noexcept { return options_; }

private:
    [[nodiscard]] Duration jittered(std::uint32_t failed_attempts, Duration previous,
                                    double chance) const noexcept;

    BackoffOptions options_;
};

[[nodiscard]] std::string_view name_of(Jitter jitter) noexcept;
[[nodiscard]] Result<Jitter> jitter_from_name(std::string_view name);

}  // namespace holdfast::resilience
