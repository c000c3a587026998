#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "holdfast/resilience/detail/rolling_window.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

struct RetryBudgetOptions {
    double ratio = 0.1;  ///< Retries per call of the window.
    Duration window = std::chrono::seconds{10};
    std::uint32_t window_buckets = 10;
    std::uint32_t floor = 3;  ///< Retries that are always allowed, both per window and in flight.

    friend bool operator==(const RetryBudgetOptions&, const RetryBudgetOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<RetryBudgetOptions> validated(const RetryBudgetOptions& options);

/// Limits retries to a share of recent calls, so that a failing downstream sees at most a fixed
/// multiple of its normal load. A hold is taken before the backoff and kept during it: releasing it
/// there would let every failed call queue a retry and send them all at once. A hold that is
/// dropped unspent costs nothing, so a retry that is refused locally or cancelled is free.
///
/// A hold is granted while the retries of the window, including those that run or wait, are fewer
/// than `max(floor, ratio * calls)`.
///
/// Thread-safety: none; use one lock for it and its neighbouring policies.
class RetryBudget final {
public:
    class Hold;

    /// Requires options that pass `validated`.
    explicit RetryBudget(const RetryBudgetOptions& options = {});
    RetryBudget(const RetryBudget&) = delete;
    RetryBudget& operator=(const RetryBudget&) = delete;
    /// Requires that no hold is outstanding: each points to the budget.
    ~RetryBudget();

    /// Counts a call: its first attempt, not its retries.
    void on_call(TimePoint now) { window_.add({1U, 0U}, now); }

    /// Returns the right to one retry, or nothing.
    [[nodiscard]] std::optional<Hold> try_hold(TimePoint now);

    /// Changes the options; counts and holds stay. Requires options that pass `validated`.
    void reconfigure(const RetryBudgetOptions& options, TimePoint now);

    /// Returns the number of retries that could be held at `now`. Changes nothing.
    [[nodiscard]] std::uint32_t available(TimePoint now) const;
    [[nodiscard]] const RetryBudgetOptions& options() const noexcept { return options_; }

private:
    enum Column : std::uint8_t { kCalls, kRetries };
    using Window = detail::RollingWindow<2>;

    [[nodiscard]] std::uint32_t available_of(const Window::Counts& counts) const;

    RetryBudgetOptions options_;
    Window window_;
    std::uint32_t waiting_ = 0;  // holds not spent yet
    std::uint32_t running_ = 0;  // spent holds whose retry is running
};

/// The right to one retry, from the decision to retry until the retry has ended.
///
/// Thread-safety: that of its budget.
class [[nodiscard]] RetryBudget::Hold final {
public:
    Hold(Hold&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), spent_(other.spent_) {}
    Hold& operator=(Hold&& other) noexcept {
        if (this != &other) {
            release();
            budget_ = std::exchange(other.budget_, nullptr);
            spent_ = other.spent_;
        }
        return *this;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { release(); }

    /// Marks the retry as sent. Requires that the hold has not been spent or released.
    void spend(TimePoint now);
    /// The retry has ended, or will not be made.
    void release() noexcept;

private:
    friend class RetryBudget;
    explicit Hold(RetryBudget& budget) noexcept : budget_(&budget) {}

    RetryBudget* budget_;
    bool spent_ = false;
};

}  // namespace holdfast::resilience
