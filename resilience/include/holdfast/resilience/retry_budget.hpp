#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "holdfast/resilience/detail/rolling_window.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

struct RetryBudgetOptions {
    double ratio = 0.1;  ///< Retries for each call of the window.
    Duration window = std::chrono::seconds{10};
    std::uint32_t window_buckets = 10;
    std::uint32_t floor = 3;  ///< Retries that are always allowed: in a window, and in flight.

    friend bool operator==(const RetryBudgetOptions&, const RetryBudgetOptions&) = default;
};

/// The options as they are, or a sentence that names the one to change.
[[nodiscard]] Result<RetryBudgetOptions> validated(const RetryBudgetOptions& options);

/// Limits retries to a share of recent calls, so that a failing downstream sees at most a fixed
/// multiple of its normal load. A hold is taken before the back-off and kept through it: giving it
/// back there would let every failed call queue a retry and send them all at once. A hold that is
/// dropped unspent costs nothing, so a retry that is refused locally or cancelled is free.
///
/// A hold is given while the retries of the window, those that still run or wait included, are
/// fewer than `max(floor, ratio * calls)`.
///
/// Thread-safety: none; guard it with the lock of the policies beside it.
class RetryBudget final {
public:
    class Hold;

    /// Requires options that pass `validated`.
    explicit RetryBudget(const RetryBudgetOptions& options = {});
    RetryBudget(const RetryBudget&) = delete;
    RetryBudget& operator=(const RetryBudget&) = delete;
    /// Requires that no hold is outstanding: each points here.
    ~RetryBudget();

    /// A call begins: its first attempt, not its retries.
    void on_call(TimePoint now) { window_.add({1U, 0U}, now); }

    /// The right to one retry, or nothing.
    [[nodiscard]] std::optional<Hold> try_hold(TimePoint now);

    /// Takes new figures; counts and holds stay. Requires options that pass `validated`.
    void reconfigure(const RetryBudgetOptions& options, TimePoint now);

    /// Retries that could be held at `now`. Changes nothing.
    [[nodiscard]] std::uint32_t available(TimePoint now) const;
    [[nodiscard]] const RetryBudgetOptions& options() const noexcept { return options_; }

private:
    enum Column : std::uint8_t { kCalls, kRetries };
    using Window = detail::RollingWindow<2>;

    [[nodiscard]] std::uint32_t available_of(const Window::Counts& counts) const;

    RetryBudgetOptions options_;
    Window window_;
    std::uint32_t waiting_ = 0;  // holds not spent yet
    std::uint32_t running_ = 0;  // holds spent, whose retry is under way
};

/// The right to one retry, from the decision to retry until the retry is over.
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

    /// The retry is sent. Requires that it has not been spent or released.
    void spend(TimePoint now);
    /// The retry is over, or will not be made.
    void release() noexcept;

private:
    friend class RetryBudget;
    explicit Hold(RetryBudget& budget) noexcept : budget_(&budget) {}

    RetryBudget* budget_;
    bool spent_ = false;
};

}  // namespace holdfast::resilience
