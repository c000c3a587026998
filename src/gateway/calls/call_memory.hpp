#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calls/call_plan.hpp"
#include "calls/pipeline_outcome.hpp"
#include "calls/repeat_guard.hpp"
#include "calls/stale_answers.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::calls {

/// What later tool calls need from earlier ones: the last good answer of a read, which may replace
/// a failure, and calls that keep failing in the same way, which are not sent for a while. The
/// policy of the call enables each of the two. Calls of different agents are kept apart.
///
/// Thread-safety: from any thread.
class CallMemory final {
public:
    /// A call has ended. Stores its answer, if there is one.
    void on_outcome(const agents::AgentRequest& origin, const CallPlan& plan,
                    const PipelineOutcome& outcome, resilience::TimePoint now);
    /// A call was refused because of its arguments.
    void on_refused(const agents::AgentRequest& origin, const CallPlan& plan,
                    std::string_view message, resilience::TimePoint now);

    /// The error with which this call has failed so often that it must not be sent; nothing if it
    /// may be sent.
    [[nodiscard]] std::optional<std::string> error_of_held(const agents::AgentRequest& origin,
                                                           const CallPlan& plan,
                                                           resilience::TimePoint now) const;
    /// The last good answer, if the policy accepts one of its age.
    [[nodiscard]] std::optional<StaleAnswer> stale_answer(const agents::AgentRequest& origin,
                                                          const CallPlan& plan,
                                                          resilience::TimePoint now) const;

private:
    StaleAnswers stale_;
    RepeatGuard repeats_;
};

}  // namespace holdfast::calls
