#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace holdfast::telemetry {

/// Latencies of a short interval, in buckets of half an octave from 64 µs to about two minutes:
/// small enough for thousands of instances, with an error of at most a third.
///
/// Thread-safety: none.
class LatencyHistogram final {
public:
    void add(std::int64_t latency_us) noexcept { ++buckets_[bucket_of(latency_us)]; }
    void add(const LatencyHistogram& other) noexcept;

    /// Returns the latency below which this share of the calls lies; nothing without calls. The
    /// share must be between 0 and 1.
    [[nodiscard]] std::optional<double> quantile_us(double share) const;

private:
    static constexpr std::size_t kBucketCount = 43;
    [[nodiscard]] static std::size_t bucket_of(std::int64_t latency_us) noexcept;
    /// The lower end of a bucket.
    [[nodiscard]] static double begin_us(std::size_t bucket) noexcept;

    std::array<std::uint32_t, kBucketCount> buckets_ = {};
};

}  // namespace holdfast::telemetry
