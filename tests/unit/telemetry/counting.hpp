#pragma once

#include "record/call_record.hpp"

namespace holdfast::telemetry {

/// Brings one call to a counter, which takes them in batches.
template <class Counter>
void count(Counter& counter, const record::CallRecord& record) {
    const record::KeptCall call = record::kept(record);
    counter.on_calls({&call, 1});
}

}  // namespace holdfast::telemetry
