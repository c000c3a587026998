#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <string>
#include <string_view>

#include "calls/call_environment.hpp"
#include "calls/call_ids.hpp"
#include "calls/call_plan.hpp"
#include "calls/failure.hpp"
#include "downstream/answer.hpp"
#include "guard/guarded_call.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/recorder.hpp"

namespace holdfast::calls {

/// How a call ended.
struct TracedEnd {
    std::string_view outcome = {};
    std::string_view message = {};
    std::size_t bytes_out = 0;
};

/// Collects what the record of a call needs while the call runs, and hands the record to the
/// recorder once. Does nothing without a recorder.
///
/// Thread-safety: none; belongs to the loop of the call.
class CallTrace final {
public:
    CallTrace(record::Recorder* recorder, const CallId& call_id, resilience::TimePoint now);

    /// The id under which the call is recorded and reported to the agent.
    [[nodiscard]] std::string_view call_id() const noexcept { return call_id_; }

    /// The name must stay valid until the call has ended.
    void on_attempt_start(std::string_view server, resilience::TimePoint now);
    void on_attempt_end(const downstream::CallResult& result, const policy::ErrorClass* error_class,
                        resilience::TimePoint now);
    /// The attempt was a ping that checked whether the server is healthy again.
    void on_ping_end(const downstream::CallResult& result, const policy::ErrorClass* error_class,
                     resilience::TimePoint now);
    void on_queued(resilience::Duration waited);
    /// A pass through the safeguards has ended.
    void on_round_end(const guard::GuardedCall& guarded);
    /// Another tool answers from now on instead of this one.
    void on_substitute(const surface::Callable& tool);

    /// Later calls change nothing.
    void finish(const agents::AgentRequest& origin, const CallPlan& plan, const TracedEnd& end,
                resilience::TimePoint now);

private:
    [[nodiscard]] std::string_view owned(std::string_view text);

    record::Recorder* recorder_;  // null = no recorder, or the record is handed over
    const CallId call_id_;
    const resilience::TimePoint came_at_;
    std::string_view requested_tool_;  // empty = no other tool has replaced it
    std::string_view circuit_before_;
    std::string_view circuit_after_;
    std::int64_t queue_us_ = 0;
    // Nearly always one, without an entry in `texts_`: such a call allocates nothing.
    boost::container::small_vector<record::AttemptRecord, 1> attempts_;
    std::forward_list<std::string> texts_;  // to which the attempts refer
};

/// Records a call that was answered without being sent.
void record_refusal(const CallEnvironment& calls, const agents::AgentRequest& origin,
                    const CallPlan& plan, const Failure& failure, std::string_view call_id);

/// `ok`, `tool_error` if the answer is an error, or `DOWNSTREAM_ERROR` for a protocol error that
/// the policy classified.
[[nodiscard]] std::string_view outcome_of(const downstream::Answer& answer,
                                          const policy::ErrorClass* error_class);

}  // namespace holdfast::calls
