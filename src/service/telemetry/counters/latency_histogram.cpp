#include "telemetry/counters/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace holdfast::telemetry {
namespace {

constexpr int kFirstBits = 7;  // 64 has 7 bits; smaller values are in the first bucket

}  // namespace

std::size_t LatencyHistogram::bucket_of(std::int64_t latency_us) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(latency_us, 0));
    const auto bits = static_cast<int>(std::bit_width(value));
    if (bits < kFirstBits) {
        return 0;
    }
    const auto octave = static_cast<std::size_t>(bits - kFirstBits);
    const auto half = static_cast<std::size_t>((value >> static_cast<unsigned>(bits - 2)) & 1U);
    return std::min(1 + 2 * octave + half, kBucketCount - 1);
}

double LatencyHistogram::begin_us(std::size_t bucket) noexcept {
    if (bucket == 0) {
        return 0;
    }
    const auto octave = static_cast<int>((bucket - 1) / 2);
    const double half = (bucket - 1) % 2 == 0 ? 1.0 : 1.5;
    return std::ldexp(half, kFirstBits - 1 + octave);
}

void LatencyHistogram::add(const LatencyHistogram& other) noexcept {
    std::ranges::transform(other.buckets_, buckets_, buckets_.begin(), std::plus{});
}

std::optional<double> LatencyHistogram::quantile_us(double share) const {
    const auto count = std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0});
    if (count == 0) {
        return std::nullopt;
    }
    double wanted = share * static_cast<double>(count);
    for (std::size_t bucket = 0; bucket < kBucketCount; ++bucket) {
        const double here = buckets_[bucket];
        if (here > 0 && wanted <= here) {
            // Assumes an even distribution within the bucket.
            const double begin = begin_us(bucket);
            return begin + (begin_us(bucket + 1) - begin) * wanted / here;
        }
        wanted -= here;
    }
    return begin_us(kBucketCount);
}

}  // namespace holdfast::telemetry
