#pragma once

#include <cstdint>
#include <random>
#include <string_view>

#include "holdfast/resilience/detail/random.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// How a computed delay `d` is randomised. The cap applies before and after.
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

/// Returns the options, or an error that names the invalid one. `policy` is the name of the options
/// in the message.
[[nodiscard]] Result<BackoffOptions> validated(const BackoffOptions& options,
                                               std::string_view policy = "backoff");

/// Delays between attempts: base * multiplier^n with jitter, at most the cap and never negative,
/// for any n.
///
/// Thread-safety: immutable; the generator is the caller's.
class Backoff {
public:
    /// Requires options that pass `validated`.
    explicit Backoff(const BackoffOptions& options = {});

    /// Returns the delay after `failed_attempts` attempts (at least 1), without jitter.
    [[nodiscard]] Duration computed(std::uint32_t failed_attempts) const noexcept;

    /// Returns the delay with jitter. `previous` is the previous delay, zero for the first.
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
