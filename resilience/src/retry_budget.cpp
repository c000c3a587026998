#include "holdfast/resilience/retry_budget.hpp"

#include <algorithm>

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

Result<RetryBudgetOptions> validated(const RetryBudgetOptions& options) {
    constexpr std::uint32_t kMaxBuckets = 1'000;
    return detail::OptionCheck{"budget"}
        .within("ratio", options.ratio, 0.0, 1.0)
        .positive("window", options.window)
        .at_least("window_buckets", options.window_buckets, 1)
        .at_most("window_buckets", options.window_buckets, kMaxBuckets)
        .expect(options.window >= Duration{options.window_buckets},
                "window must be at least one nanosecond per bucket")
        .expect(options.ratio > 0.0 || options.floor > 0,
                "floor must be at least 1 when ratio is 0; remove the budget to forbid retries")
        .result(options);
}

RetryBudget::RetryBudget(const RetryBudgetOptions& options)
    : options_(options), window_(options.window, options.window_buckets) {
    HOLDFAST_EXPECT(validated(options).has_value());
}

RetryBudget::~RetryBudget() {
    HOLDFAST_EXPECT(waiting_ == 0);
    HOLDFAST_EXPECT(running_ == 0);
}

std::optional<RetryBudget::Hold> RetryBudget::try_hold(TimePoint now) {
    window_.roll(now);
    if (available_of(window_.totals()) == 0) {
        return std::nullopt;
    }
    ++waiting_;
    return Hold{*this};
}

std::uint32_t RetryBudget::available(TimePoint now) const {
    return available_of(window_.totals_at(now));
}

std::uint32_t RetryBudget::available_of(const Window::Counts& counts) const {
    const auto share = static_cast<std::uint32_t>(options_.ratio * counts[kCalls] + 1e-9);
    const std::uint32_t limit = std::max(options_.floor, share);
    // A retry may run longer than the window; it counts as long as it runs.
    const std::uint32_t used = waiting_ + std::max(running_, counts[kRetries]);
    return limit > used ? limit - used : 0;
}

void RetryBudget::reconfigure(const RetryBudgetOptions& options, TimePoint now) {
    HOLDFAST_EXPECT(validated(options).has_value());
    window_ = window_.resized(options.window, options.window_buckets, now);
    options_ = options;
}

void RetryBudget::Hold::spend(TimePoint now) {
    HOLDFAST_EXPECT(budget_ != nullptr);
    HOLDFAST_EXPECT(!spent_);
    spent_ = true;
    --budget_->waiting_;
    ++budget_->running_;
    budget_->window_.add({0U, 1U}, now);
}

void RetryBudget::Hold::release() noexcept {
    if (budget_ == nullptr) {
        return;
    }
    --(spent_ ? budget_->running_ : budget_->waiting_);
    budget_ = nullptr;
}

}  // namespace holdfast::resilience
