#pragma once

#include "record/call_record.hpp"
#include "record/event.hpp"

namespace holdfast::record {

/// Receives calls and events. Never blocks: what cannot be stored is dropped and counted.
///
/// Thread-safety: from any thread.
class Recorder {
public:
    Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    virtual ~Recorder() = default;

    /// What the record refers to need not outlive the call.
    virtual void on_call(const CallRecord& record) = 0;
    /// Fills in `at_ms` if it is zero.
    virtual void on_event(Event event) = 0;
};

}  // namespace holdfast::record
