#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace holdfast::tool_search {

/// Estimates how much text the encoder processes in a given time on this machine, from earlier
/// measurements.
///
/// Thread-safety: from any thread.
class EncoderPace final {
public:
    using Milliseconds = std::chrono::duration<double, std::milli>;

    /// Returns the number of bytes that fit into this time, with a margin, and at least `least`
    /// while there is any time. Without this minimum the estimate could fall to zero and never
    /// recover.
    [[nodiscard]] std::size_t bytes_in(Milliseconds time, std::size_t least) const noexcept {
        constexpr double kMargin = 0.7;
        if (time.count() <= 0) {
            return 0;
        }
        return std::max(least,
                        static_cast<std::size_t>(bytes_per_ms_.load() * time.count() * kMargin));
    }
    void on_done(std::size_t bytes, Milliseconds time) noexcept {
        constexpr double kWeightOfNew = 0.25;
        const double seen = static_cast<double>(bytes) / std::max(time.count(), 0.1);
        const double known = bytes_per_ms_.load();
        bytes_per_ms_ = known + (seen - known) * kWeightOfNew;
    }
    void on_late() noexcept {
        constexpr double kLeast = 4.0;  // a few late results say little about the next
        bytes_per_ms_ = std::max(kLeast, bytes_per_ms_.load() * 0.8);
    }

private:
    std::atomic<double> bytes_per_ms_{20.0};
};

}  // namespace holdfast::tool_search
