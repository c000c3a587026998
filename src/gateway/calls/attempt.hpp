#pragma once

#include <memory>
#include <string_view>

#include "downstream/request.hpp"
#include "downstream/started_call.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"
#include "surface/callable.hpp"

namespace holdfast::calls {

/// How long an attempt may take, and what it does besides one request.
struct AttemptOptions {
    resilience::Deadline deadline = resilience::Deadline::never();  ///< Of this attempt.
    resilience::Deadline call_deadline = resilience::Deadline::never();
    resilience::Duration timeout = {};  ///< What the policy allows one attempt.
    bool progress_resets = false;       ///< Each progress notification starts the timeout again.
    /// The tool runs only as a task: its answer names the task, and a second request gets the
    /// result.
    bool runs_as_task = false;
};

/// One attempt of a call at its server. At the deadline it cancels the request and reports a
/// timeout with what is known about delivery. The deadline stands still while the agent is asked.
/// Can be used again after it has ended, but not after a final fault: the request that could not be
/// cancelled may still report its result.
///
/// Thread-safety: none; belongs to the loop of the call.
class Attempt final : public downstream::CallObserver, private resilience::Timer {
public:
    /// `owner` receives what the server sends, then the result, and must outlive this.
    Attempt(const net::OwningLoop& loop, downstream::CallObserver& owner)
        : loop_(loop), owner_(owner) {}
    ~Attempt() override;

    /// `self` is this object, and keeps its owner alive until the result. The result never comes
    /// before this returns.
    void start(const std::shared_ptr<Attempt>& self, const surface::Server& server,
               const downstream::Request& request, const AttemptOptions& options);
    [[nodiscard]] bool is_running() const noexcept { return is_running_; }

    /// The agent is asked, so the time stands still. Does nothing if no attempt is running.
    void pause();
    void resume(resilience::Deadline call_deadline);
    /// Cancels the request. The owner receives nothing more from it.
    void abandon();

private:
    void on_notification(downstream::Notification notification) override;
    void on_question(downstream::Question question) override;
    void on_result(downstream::CallResult result) override;
    void on_time() override;

    void cancel_request();
    [[nodiscard]] bool requests_task_result(const downstream::CallResult& result);
    void end(downstream::CallResult result);

    const net::OwningLoop& loop_;
    downstream::CallObserver& owner_;
    std::weak_ptr<Attempt> self_;
    const surface::Server* server_ = nullptr;
    std::shared_ptr<const downstream::AgentIdentity> agent_;
    AttemptOptions options_;
    resilience::Duration remaining_ = {};  // while paused
    bool is_running_ = false;
    bool is_paused_ = false;
    bool is_cut_off_ = false;  // the request was cancelled at the deadline
    std::weak_ptr<downstream::StartedCall> started_;
};

/// The fault of a request that got no answer within the timeout.
[[nodiscard]] downstream::CallFault timeout_fault(std::string_view server,
                                                  resilience::Duration timeout,
                                                  resilience::Delivery delivery);

}  // namespace holdfast::calls
