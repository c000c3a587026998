#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::detail {

/// Sums of `Columns` counters over the last `buckets * width` of time, updated lazily: no timer, no
/// division while time stays within a bucket, no allocation after construction. An event belongs to
/// the bucket of its time; the window is the current bucket and the previous ones.
///
/// A time before the current bucket counts as the current one: callers read the clock before they
/// take their lock, so times may arrive slightly out of order.
///
/// Thread-safety: none; owned by one policy.
template <std::size_t Columns>
class RollingWindow {
public:
    using Counts = std::array<std::uint32_t, Columns>;

    RollingWindow(Duration length, std::uint32_t bucket_count)
        : width_(length / bucket_count), buckets_(bucket_count) {}

    void add(const Counts& counts, TimePoint now) {
        roll(now);
        Counts& bucket = buckets_[current_];
        for (std::size_t column = 0; column < Columns; ++column) {
            bucket[column] += counts[column];
            totals_[column] += counts[column];
        }
    }

    /// Drops buckets older than the window.
    void roll(TimePoint now) {
        if (now >= bucket_end_) [[unlikely]] {
            roll_over(now);
        }
    }

    /// The sums as of the last `add` or `roll`.
    [[nodiscard]] const Counts& totals() const { return totals_; }

    /// The sums at `now`; changes nothing.
    [[nodiscard]] Counts totals_at(TimePoint now) const {
        Counts sums = totals_;
        for_each_expired(now, [&sums](const Counts& bucket) {
            for (std::size_t column = 0; column < Columns; ++column) {
                sums[column] -= bucket[column];
            }
        });
        return sums;
    }

    void clear() {
        buckets_.assign(buckets_.size(), Counts{});
        totals_ = Counts{};
    }

    /// Calls `visit(instant, counts)` from the newest to the oldest bucket in the window, with the
    /// last instant that a bucket may hold.
    template <class Visit>
    void for_each(TimePoint now, Visit&& visit) const {
        const std::size_t expired = expired_count(now);
        if (expired == buckets_.size()) {
            return;
        }
        TimePoint last = bucket_end_ - Duration{1};
        for (std::size_t age = 0; age + expired < buckets_.size(); ++age) {
            const std::size_t index = (current_ + buckets_.size() - age) % buckets_.size();
            visit(last < now ? last : now, buckets_[index]);
            last = saturating_add(last, -width_);
        }
    }

    /// Returns the same counts in a window of another shape, as far as they fit.
    [[nodiscard]] RollingWindow resized(Duration length, std::uint32_t bucket_count,
                                        TimePoint now) const {
        RollingWindow other{length, bucket_count};
        for_each(now, [&](TimePoint instant, const Counts& counts) {
            other.add_past(counts, instant, now);
        });
        return other;
    }

    /// Adds to the bucket that covers `when`, which may be in the past; dropped if too old.
    void add_past(const Counts& counts, TimePoint when, TimePoint now) {
        roll(now);
        const TimePoint start = bucket_end_ - width_;
        const auto age =
            when >= start ? 0 : (elapsed_between(when, start) - Duration{1}) / width_ + 1;
        if (static_cast<std::size_t>(age) >= buckets_.size()) {
            return;
        }
        const std::size_t index =
            (current_ + buckets_.size() - static_cast<std::size_t>(age)) % buckets_.size();
        for (std::size_t column = 0; column < Columns; ++column) {
            buckets_[index][column] += counts[column];
            totals_[column] += counts[column];
        }
    }

private:
    /// Returns how many of the oldest buckets have left the window at `now`.
    [[nodiscard]] std::size_t expired_count(TimePoint now) const {
        if (now < bucket_end_) {
            return 0;
        }
        const auto steps =
            static_cast<std::uint64_t>(elapsed_between(bucket_end_, now) / width_) + 1;
        return steps < buckets_.size() ? static_cast<std::size_t>(steps) : buckets_.size();
    }

    template <class Visit>
    void for_each_expired(TimePoint now, Visit&& visit) const {
        const std::size_t expired = expired_count(now);
        for (std::size_t step = 1; step <= expired; ++step) {
            visit(buckets_[(current_ + step) % buckets_.size()]);
        }
    }

    void roll_over(TimePoint now) {
        const std::size_t expired = expired_count(now);
        for (std::size_t step = 0; step < expired; ++step) {
            current_ = current_ + 1 == buckets_.size() ? 0 : current_ + 1;
            for (std::size_t column = 0; column < Columns; ++column) {
                totals_[column] -= buckets_[current_][column];
            }
            buckets_[current_] = Counts{};
        }
        const auto offset = now.time_since_epoch() % width_;
        const auto into_bucket = offset < Duration::zero() ? offset + width_ : offset;
        bucket_end_ = saturating_add(now, width_ - into_bucket);
    }

    Duration width_;
    std::size_t current_ = 0;
    TimePoint bucket_end_ = TimePoint::min();
    Counts totals_{};
    std::vector<Counts> buckets_;
};

}  // namespace holdfast::resilience::detail
