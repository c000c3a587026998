#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace holdfast::tool_search {

/// How much text the encoder reads in a given time on this machine, as far as is known: learnt from
/// what it has done.
///
/// Thread-safety: from any thread.
class EncoderPace final {
public:
    using Milliseconds = std::chrono::duration<double, std::milli>;

    /// What is likely to be done in this time, with a margin, and `least` while there is any time:
    /// what is never tried is never learnt from, and a pace that fell would not rise again.
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
        constexpr double kLeast = 4.0;  // a few late ones say little about the next
        bytes_per_ms_ = std::max(kLeast, bytes_per_ms_.load() * 0.8);
    }

private:
    std::atomic<double> bytes_per_ms_{20.0};
};

}  // namespace holdfast::tool_search
