#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <string>
#include <string_view>

#include "calls/call_plan.hpp"
#include "calls/failure.hpp"
#include "downstream/answer.hpp"
#include "guard/guarded_call.hpp"
#include "holdfast/resilience/time.hpp"
#include "record/records.hpp"

namespace holdfast::calls {

/// How a call ended, in the words of its record.
struct TracedEnd {
    std::string_view outcome = {};
    std::string_view message = {};
    std::size_t bytes_out = 0;
};

/// What a call leaves behind for those who want to know later: put together on its way, handed to
/// the recorder once. Does nothing without a recorder.
///
/// Thread-safety: none; belongs to the loop of the call.
class CallTrace final {
public:
    CallTrace(record::Recorder* recorder, resilience::TimePoint now);

    /// The name must stay until the call is over.
    void on_attempt_start(std::string_view server, resilience::TimePoint now);
    void on_attempt_end(const downstream::CallResult& result, const policy::ErrorClass* error_class,
                        resilience::TimePoint now);
    /// The attempt was no attempt of the call, but a look at whether the server is well again.
    void on_ping_end(const downstream::CallResult& result, const policy::ErrorClass* error_class,
                     resilience::TimePoint now);
    void on_queued(resilience::Duration waited);
    /// A way through the safeguards is over.
    void on_round_end(const guard::GuardedCall& guarded);
    /// Another tool answers from now on in the place of this one.
    void on_stand_in(const surface::Callable& tool);

    /// Later calls change nothing.
    void finish(const agents::AgentRequest& origin, const CallPlan& plan, std::string_view call_id,
                const TracedEnd& end, resilience::TimePoint now);

private:
    [[nodiscard]] std::string_view owned(std::string_view text);

    record::Recorder* recorder_;  // null = nobody wants to know, or it knows already
    const resilience::TimePoint came_at_;
    std::string_view asked_tool_;  // that another one stands in for; empty = none
    std::string_view circuit_before_;
    std::string_view circuit_after_;
    std::int64_t queue_us_ = 0;
    // Nearly always one, and without a word of its own: no memory is asked for then.
    boost::container::small_vector<record::AttemptRecord, 1> attempts_;
    std::forward_list<std::string> texts_;  // that the attempts refer to
};

/// A call that was answered without being sent.
void record_refusal(const CallEnvironment& calls, const agents::AgentRequest& origin,
                    const CallPlan& plan, const Failure& failure, std::string_view call_id);

/// `ok`, or `tool_error` if the answer says that it is an error.
[[nodiscard]] std::string_view outcome_of(const downstream::Answer& answer,
                                          const policy::ErrorClass* error_class);

}  // namespace holdfast::calls
