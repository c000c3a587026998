#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calls/call_plan.hpp"
#include "calls/failure.hpp"
#include "calls/pipeline_outcome.hpp"

// The failure that an agent receives when its call has no answer to pass on.

namespace holdfast::calls {

/// A call that failed, with everything that the text about it needs.
struct FailedCall {
    const CallPlan& plan;
    const PipelineOutcome& end;
    std::string_view call_id = {};
    std::span<const std::string> secrets = {};  ///< Are removed from all texts.
    /// Exposed names of similar tools of other servers, nearest first.
    std::span<const std::string> suggested = {};
};

/// Whether the agent receives the server's answer unchanged. Some policies replace the text of
/// errors that a tool's server returns.
[[nodiscard]] bool is_passed_on(const CallPlan& plan, const PipelineOutcome& end);

/// The message of a JSON-RPC error.
[[nodiscard]] std::string error_message(const downstream::Answer& answer);

/// The code that the failure will have.
[[nodiscard]] FailureCode failure_code_of(const CallPlan& plan, const PipelineOutcome& end);

/// Whether the failure should name similar tools of other servers: the policy says so, and the
/// server of the tool is unavailable.
[[nodiscard]] bool suggests_alternatives(const CallPlan& plan, const PipelineOutcome& end);

[[nodiscard]] Failure failure_of(const FailedCall& call, resilience::TimePoint now);

/// The failure as the result of the tool, in the form that the policy asks for.
[[nodiscard]] std::string tool_result_of(const Failure& failure, const CallPlan& plan);

}  // namespace holdfast::calls
