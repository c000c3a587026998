#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "holdfast/resilience/time.hpp"

namespace holdfast::platform {

/// What a thread that works on files shares with its owner about its end. The work of the thread
/// comes beside it, under the same lock; all of it is shared, since the thread may be left behind.
struct WorkerState {
    std::mutex mutex;
    std::condition_variable changed;
    // Guarded by `mutex`.
    bool is_ending = false;  ///< The owner wants it to end.
    bool is_done = false;    ///< The thread touches nothing of its owner's any more.
};

/// Tells the thread to end and waits for that. One that has not ended within the time hangs in the
/// disk, and nothing can be done about that: it is left to itself.
void join_or_detach(std::thread& thread, WorkerState& end, resilience::Duration within);

}  // namespace holdfast::platform
