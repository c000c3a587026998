#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/notifying_lock.hpp"
#include "holdfast/resilience/pipeline.hpp"

namespace holdfast::resilience {

/// The policies of one downstream. An empty part is skipped.
struct PipelineSetup {
    std::string name = {};
    PipelineOptions options = {};
    std::optional<RateLimiterOptions> limiter = std::nullopt;
    std::optional<CircuitBreakerOptions> circuit = CircuitBreakerOptions{};
    std::optional<BulkheadOptions> bulkhead = BulkheadOptions{};
    std::optional<RetryBudgetOptions> budget = RetryBudgetOptions{};
    std::uint64_t jitter_seed = 0;
};

/// Returns the setup, or an error that names the invalid option.
[[nodiscard]] Result<PipelineSetup> validated(const PipelineSetup& setup);

/// The policies of one downstream behind one lock, for calls from several threads: one lock to
/// admit, one to settle, none in between. The observer and the waker are called after unlocking.
///
/// Thread-safety: every operation may be called from any thread; each call by one at a time.
class SharedPipeline final : public std::enable_shared_from_this<SharedPipeline> {
    struct Private {};

public:
    class Call;

    /// Requires a setup that passes `validated`. Observer and waker must outlive the pipeline and
    /// may be null; without a waker, waiters are served when they resume by themselves.
    [[nodiscard]] static std::shared_ptr<SharedPipeline> make(const PipelineSetup& setup,
                                                              Observer* observer = nullptr,
                                                              Waker* waker = nullptr) {
        return std::make_shared<SharedPipeline>(Private{}, setup, observer, waker);
    }
    /// Called by `make`: calls need a shared owner.
    SharedPipeline(Private, const PipelineSetup& setup, Observer* observer, Waker* waker);
    SharedPipeline(const SharedPipeline&) = delete;
    SharedPipeline& operator=(const SharedPipeline&) = delete;

    /// Returns a call that has not started.
    [[nodiscard]] Call call(const CallTraits& traits);

    /// Runs `use` on the parts under the lock: status, modes, reconfiguration.
    template <class Use>
    auto with(Use&& use) {
        static_assert(!std::is_reference_v<std::invoke_result_t<Use, const PipelineParts&>>,
                      "a reference would escape the lock");
        return lock_.with([&] { return std::forward<Use>(use)(std::as_const(parts_)); });
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const PipelinePolicy& policy() const noexcept { return policy_; }

private:
    const std::string name_;
    const PipelinePolicy policy_;
    NotifyingLock lock_;  // guards what follows
    std::optional<RateLimiter> limiter_;
    std::optional<CircuitBreaker> circuit_;
    std::optional<Bulkhead> bulkhead_;
    std::optional<RetryBudget> budget_;
    PipelineParts parts_;
};

/// A `PipelineCall` whose operations take the pipeline's lock. Keeps the pipeline alive.
///
/// Thread-safety: one thread at a time.
class SharedPipeline::Call final {
public:
    Call(std::shared_ptr<SharedPipeline> pipeline, const CallTraits& traits)
        : pipeline_(std::move(pipeline)),
          call_(std::in_place, pipeline_->policy_, pipeline_->parts_, traits) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
        pipeline_->with([this](const PipelineParts&) { call_.reset(); });
    }

    [[nodiscard]] PipelineStep start(TimePoint now) {
        return pipeline_->with([&](const PipelineParts&) { return call_->start(now); });
    }
    [[nodiscard]] PipelineStep resume(TimePoint now) {
        return pipeline_->with([&](const PipelineParts&) { return call_->resume(now); });
    }
    template <std::uniform_random_bit_generator Generator>
    [[nodiscard]] PipelineStep on_attempt_end(const AttemptEnd& end, TimePoint now,
                                              Generator& generator) {
        return pipeline_->with(
            [&](const PipelineParts&) { return call_->on_attempt_end(end, now, generator); });
    }
    CallVerdict cancel() {
        return pipeline_->with([this](const PipelineParts&) { return call_->cancel(); });
    }

private:
    std::shared_ptr<SharedPipeline> pipeline_;  // shared with the pipeline's other users
    std::optional<PipelineCall> call_;          // guarded by the pipeline's lock
};

inline SharedPipeline::Call SharedPipeline::call(const CallTraits& traits) {
    return Call{shared_from_this(), traits};
}

}  // namespace holdfast::resilience
