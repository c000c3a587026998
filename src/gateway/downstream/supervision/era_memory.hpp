#pragma once

#include <optional>

#include "holdfast/resilience/time.hpp"
#include "mcp/revision.hpp"

namespace holdfast::downstream {

/// The era of a downstream as last seen, while that is recent enough.
///
/// Thread-safety: none.
class EraMemory final {
public:
    using Duration = resilience::Duration;
    using TimePoint = resilience::TimePoint;

    /// `known` was observed `age` before `now`.
    EraMemory(std::optional<mcp::Era> known, TimePoint now, Duration age, Duration max_age)
        : era_(known),
          good_until_(resilience::saturating_add(now, max_age - age)),
          max_age_(max_age) {}

    [[nodiscard]] std::optional<mcp::Era> known(TimePoint now) const noexcept {
        return now < good_until_ ? era_ : std::nullopt;
    }
    void learn(mcp::Era era, TimePoint now) noexcept {
        era_ = era;
        good_until_ = resilience::saturating_add(now, max_age_);
    }
    /// An attempt failed: a server of the other era may have replaced the downstream.
    void forget() noexcept { era_ = std::nullopt; }

private:
    std::optional<mcp::Era> era_;
    TimePoint good_until_;
    const Duration max_age_;
};

}  // namespace holdfast::downstream
