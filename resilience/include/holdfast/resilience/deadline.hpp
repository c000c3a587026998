#pragma once

#include <algorithm>
#include <compare>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// The instant by which something must end. One deadline travels with a call; every timeout on its
/// path is derived from it. A deadline has passed at its instant, not after it.
///
/// Thread-safety: a value.
class Deadline {
public:
    [[nodiscard]] static constexpr Deadline never() noexcept { return Deadline{TimePoint::max()}; }
    [[nodiscard]] static constexpr Deadline at(TimePoint when) noexcept { return Deadline{when}; }
    [[nodiscard]] static constexpr Deadline after(TimePoint now, Duration limit) noexcept {
        return Deadline{saturating_add(now, limit)};
    }

    [[nodiscard]] constexpr TimePoint when() const noexcept { return when_; }
    [[nodiscard]] constexpr bool is_never() const noexcept { return when_ == TimePoint::max(); }
    [[nodiscard]] constexpr bool is_expired(TimePoint now) const noexcept {
        return now >= when_ && !is_never();
    }

    /// Returns the remaining time, at least zero; `Duration::max()` if there is no deadline.
    [[nodiscard]] constexpr Duration remaining(TimePoint now) const noexcept {
        return is_never() ? Duration::max() : elapsed_between(now, when_);
    }

    /// Returns the earlier of this deadline and `limit` from now.
    [[nodiscard]] constexpr Deadline tightened(TimePoint now, Duration limit) const noexcept {
        return std::min(*this, after(now, limit));
    }

    friend constexpr auto operator<=>(const Deadline&, const Deadline&) noexcept = default;

private:
    explicit constexpr Deadline(TimePoint when) noexcept : when_(when) {}

    TimePoint when_;
};

}  // namespace holdfast::resilience
