#pragma once

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"

namespace holdfast::downstream {

/// Receives the events of one request from its start to its end, on the loop of the caller.
class CallObserver : public CallListener {
public:
    /// The request has ended; nothing follows. Never called within `Downstream::start_call` or
    /// `StartedCall::cancel`.
    virtual void on_result(CallResult result) = 0;
};

/// A request that runs in the background and reports to its `CallObserver`. It belongs to whatever
/// will end it: a connection, a table of calls or a coroutine. It owns its observer, so the
/// observer must hold it by a weak pointer.
///
/// Thread-safety: none; belongs to the loop of the caller.
class StartedCall {
public:
    StartedCall() = default;
    StartedCall(const StartedCall&) = delete;
    StartedCall& operator=(const StartedCall&) = delete;
    virtual ~StartedCall() = default;

    /// Ends the request at once. `on_result` still follows and says how far the request got. Does
    /// nothing if the request has ended.
    virtual void cancel() = 0;
};

}  // namespace holdfast::downstream
